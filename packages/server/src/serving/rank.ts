import type { User } from '@tastegraph/algorithms';
import type { Snapshot } from './snapshot.ts';

/** What the generator found in the ranker's order; what the ranker knows nothing of follows, in the generator's. */
export function rank<One extends object>(
  ranker: Snapshot,
  user: User,
  found: readonly One[],
  itemIdOf: (one: One) => string,
): One[] {
  const byNumber = new Map<number | undefined, One>(
    found.map((one) => [ranker.itemNumbers.get(itemIdOf(one)), one]),
  );
  const masked = (item: number) => !byNumber.has(item);
  const ranked = ranker.scorer
    .recommend(user, { n: byNumber.size, masked, keepSeen: true })
    .flatMap(({ item }) => byNumber.get(item) ?? []);
  const known = new Set(ranked);
  return [...ranked, ...found.filter((one) => !known.has(one))];
}
