import type { TopK } from './lib/top-k.ts';
import type { Recommendation } from './scorer.ts';

/** The kept items, best first. Sorts them in place. */
export function recommendationsOf(best: TopK, isFilled: boolean): Recommendation[] {
  best.sort();
  return Array.from({ length: best.size }, (_, place) => ({
    item: best.indices[place]!,
    score: best.scores[place]!,
    isFilled,
  }));
}

/** The order of TopK: the higher score first, then the lower item number. */
export const comesAfter = (item: number, score: number, after: Recommendation) =>
  score < after.score || (score === after.score && item > after.item);
