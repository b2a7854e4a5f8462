import type { Interactions } from '../../data/interactions.ts';
import type { Split } from '../../data/split.ts';
import type { Evaluation } from '../../evaluation/metrics.ts';
import { evenly } from '../../low-rank/scale.ts';
import type { G1Parameters } from '../parameters.ts';
import { pickBest } from './pick.ts';
import { type TriedCandidate, triedOf, type Validation } from './validation.ts';

const weights = [0, 0.1, 0.3, 1, 3];
/** With fewer users who came back to an item, the data does not show whether others will. */
const fewestUsers = 20;
const maxUsers = 4000;

/**
 * Chooses how much a target event counts for its own item: the least that does not predict significantly worse than the best
 * which items users choose next, those they had before included. This matters only to callers who do not exclude seen
 * items.
 */
export async function chooseRepeat(
  validation: Validation,
  events: Interactions,
  split: Split,
  best: G1Parameters,
): Promise<{ repeat: number; tried: TriedCandidate[] }> {
  const { next, cameBack } = events.ordered ? readNext(events, split, validation.users.test) : nobody;
  if (cameBack < fewestUsers) return { repeat: 0, tried: [] };
  const users = [...next.keys()];
  const looked: { parameters: G1Parameters; evaluation: Evaluation }[] = [];
  for (const repeat of weights) {
    const parameters = { ...best, repeat };
    const evaluation = await validation.lookAgain(parameters, users, (user) => next.get(user)!);
    looked.push({ parameters, evaluation });
  }
  const picked = pickBest(looked, { prefer: ({ parameters }) => parameters.repeat });
  return {
    repeat: picked?.parameters.repeat ?? 0,
    tried: looked.map(({ parameters, evaluation }) => triedOf('repeat', parameters, evaluation)),
  };
}

/** The held-out target items of some users, and how many of these users have one of the items in what is known of them. */
interface Next {
  readonly next: ReadonlyMap<number, Uint32Array>;
  readonly cameBack: number;
}

const nobody: Next = { next: new Map(), cameBack: 0 };

/** Of all but the test users: those who only come back to items are in neither part of the users, but matter here. */
function readNext({ users, offsets, item, type }: Interactions, split: Split, test: readonly number[]): Next {
  const isTest = new Set(test);
  const able: number[] = [];
  for (let user = 0; user < users; user++) {
    const counts = [0, 0];
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (type[event] === 0) counts[split.heldOut[event]!]!++;
    if (counts[0]! > 0 && counts[1]! > 0 && !isTest.has(user)) able.push(user);
  }
  const next = new Map<number, Uint32Array>();
  let cameBack = 0;
  for (const place of evenly(able.length, maxUsers)) {
    const user = able[place]!;
    const known = new Set<number>();
    const later = new Set<number>();
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (type[event] === 0) (split.heldOut[event] === 1 ? later : known).add(item[event]!);
    next.set(user, Uint32Array.from(later));
    if ([...later].some((one) => known.has(one))) cameBack++;
  }
  return { next, cameBack };
}
