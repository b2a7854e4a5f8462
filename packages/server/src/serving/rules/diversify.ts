import type { FoundItem } from '../search/item-finder.ts';
import type { PoolSimilarity } from './similarity.ts';

/**
 * Chooses varied items from a pool: the one with the best balance of its place in the order and its similarity to what was
 * taken (maximal marginal relevance). Relevance falls evenly from 1 to 0 over the pool, so it means the same for any
 * model, with a ranker, and for items without a score.
 */
export class Diversifier {
  readonly #pool: readonly FoundItem[];
  readonly #similarity: PoolSimilarity;
  readonly #weight: number;
  /** By place: the similarity to the most similar item that was taken. */
  readonly #closest: Float64Array;

  constructor(pool: readonly FoundItem[], similarity: PoolSimilarity, weight: number) {
    this.#pool = pool;
    this.#similarity = similarity;
    this.#weight = weight;
    this.#closest = new Float64Array(pool.length);
  }

  /** The best of those that may be taken; undefined if there is none. Equal ones in the order of the pool. */
  choose(mayTake: (item: FoundItem) => boolean): FoundItem | undefined {
    let best: FoundItem | undefined;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (let place = 0; place < this.#pool.length; place++) {
      const relevance = (1 - this.#weight) * (1 - place / this.#pool.length);
      // Relevance falls, and similarity only subtracts from it: nothing further down is better.
      if (relevance <= bestValue) break;
      const value = relevance - this.#weight * (this.#closest[place] ?? 0);
      const item = this.#pool[place];
      if (value <= bestValue || !item || !mayTake(item)) continue;
      best = item;
      bestValue = value;
    }
    return best;
  }

  /** Call it for every item that is put on the page. */
  take(item: FoundItem): void {
    this.#similarity.raise(this.#closest, item);
  }
}
