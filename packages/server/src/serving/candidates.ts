import type { User } from '@tastegraph/algorithms';
import type { Snapshot } from './snapshot.ts';

export interface Candidate {
  /** In the generator's catalogue; undefined for an item that came after the training. */
  readonly number: number | undefined;
  readonly itemId: string;
  readonly score: number;
  /** Whether the score is made of what is known of the user, or of popularity, to fill up. */
  readonly isFilled: boolean;
}

/**
 * What one look takes at first: few more than asked for, since each is a record to read and hardly any is gone; with a filter, as
 * many as most filters need.
 */
export const firstLook = (limit: number, hasFilter: boolean) =>
  hasFilter ? Math.max(100, limit * 5) : limit + 2 + Math.floor(limit / 10);
/** Each further look takes so many times as many: a selective filter is at the end of the catalogue in a few. */
const growth = 8;

export interface Look {
  /** How many the first batch has. */
  readonly first: number;
  readonly keepSeen: boolean;
  /** These alone are wanted; all when absent. Scores and order are the same. */
  readonly isWanted?: (item: number) => boolean;
}

/** Items best first, in batches that grow, until the catalogue ends: exact scores, nothing left out. */
export function* lookForCandidates(
  { scorer, itemIds }: Snapshot,
  user: User,
  { first, keepSeen, isWanted }: Look,
): Generator<Candidate[], void> {
  const options = { keepSeen, ...(isWanted ? { masked: (item: number) => !isWanted(item) } : {}) };
  let taken = 0;
  for (let n = first; ; n *= growth) {
    const found = scorer.recommend(user, { ...options, n });
    yield found
      .slice(taken)
      .map(({ item, score, isFilled }) => ({ number: item, itemId: itemIds[item] ?? '', score, isFilled }));
    if (found.length < n) return;
    taken = found.length;
  }
}
