import type { User } from '@tastegraph/algorithms';
import type { LoadedModel } from '../models/loaded-model.ts';
import { compareScores } from '../rules/boost.ts';

/**
 * The generator's items in the order of the ranker's scores, each multiplied by its factor, followed by those that the ranker does not know, in the generator's
 * order.
 */
export function rank<Item extends object>(
  ranker: LoadedModel,
  user: User,
  found: readonly Item[],
  itemIdOf: (item: Item) => string,
  factorOf: (item: Item) => number = () => 1,
): Item[] {
  const byNumber = new Map<number, Item>();
  for (const item of found) {
    const number = ranker.itemNumbers.get(itemIdOf(item));
    if (number !== undefined) byNumber.set(number, item);
  }
  const among = [...byNumber.keys()];
  const ranked = ranker.scorer
    .recommend(user, { n: among.length, among, keepSeen: true, keepDisliked: true })
    .flatMap(({ item: number, score, isFilled }) => {
      const item = byNumber.get(number);
      return item ? [{ item, isFilled, score: score * factorOf(item) }] : [];
    })
    // Stable: without factors, this is the scorer's order.
    .toSorted(compareScores)
    .map(({ item }) => item);
  const known = new Set(ranked);
  return [...ranked, ...found.filter((item) => !known.has(item))];
}
