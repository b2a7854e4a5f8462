import type { Split } from '../data/split.ts';
import { draw, seededRandom } from '../lib/random.ts';

/** Users whose held-out events are predicted, in two disjoint parts. Ascending. */
export interface UserParts {
  /** To choose the parameters. */
  readonly validation: readonly number[];
  /** To measure the choice, once. */
  readonly test: readonly number[];
}

/** Enough to detect a difference of one percent, few enough that an evaluation costs less than a fit. */
const maxUsers = 4000;
/** The share of test users while there are too few users to fill both parts. */
const testShare = 1 / 3;

/** A seeded sample of users with known and held-out events. With fewer than three such users there are no test users. */
export function partUsers(
  { train, relevantOffsets, coldUsers }: Split,
  seed: number,
  excluded: Iterable<number> = [],
): UserParts {
  const isOut = new Uint8Array(train.users);
  for (const users of [coldUsers, excluded]) for (const user of users) isOut[user] = 1;
  const able: number[] = [];
  for (let user = 0; user < train.users; user++)
    if (relevantOffsets[user + 1]! > relevantOffsets[user]! && isOut[user] === 0) able.push(user);
  const tested = Math.min(maxUsers, Math.floor(able.length * testShare));
  const validated = Math.min(maxUsers, able.length - tested);
  const drawn = draw(able, validated + tested, seededRandom(seed));
  const ascending = (users: number[]) => users.sort((a, b) => a - b);
  return { validation: ascending(drawn.slice(0, validated)), test: ascending(drawn.slice(validated)) };
}
