import { type Scorer, similaritySteps } from '@tastegraph/algorithms';
import type { CallBudget } from '../call-budget.ts';
import type { FoundItem } from '../search/item-finder.ts';

/** How similar the items of a pool are to an item. */
export interface PoolSimilarity {
  /** Raises `closest`, by place in the pool, to the similarity to the item, 0 to 1. */
  raise(closest: Float64Array, item: FoundItem): void;
}

/** Compared attribute values per item, and their length: categories, not descriptions. A choice among 1,000 takes under a ms. */
const maxTokens = 20;
const maxTokenLength = 100;

/** The attribute values of an item that others may share. */
export function tokensOf(attributes: Readonly<Record<string, unknown>>, budget: CallBudget): string[] {
  const tokens = new Set<string>();
  for (const [name, value] of Object.entries(attributes))
    for (const one of Array.isArray(value) ? value.slice(0, maxTokens) : [value])
      if (tokens.size < maxTokens && (typeof one === 'boolean' || isShortText(one)))
        tokens.add(`${name}=${String(one)}`);
  budget.spend(tokens.size);
  return [...tokens];
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxTokenLength;

/** By the model, or by attributes if it does not know which items are similar. */
export function similarityOf(
  pool: readonly FoundItem[],
  scorer: Pick<Scorer, 'similarities'>,
): PoolSimilarity {
  const { similarities } = scorer;
  return similarities
    ? similarityByModel(pool, { similarities: similarities.bind(scorer) })
    : similarityByAttributes(pool);
}

/** Similarity by the model: the larger of the two directions. */
export function similarityByModel(
  pool: readonly FoundItem[],
  scorer: Pick<Required<Scorer>, 'similarities'>,
): PoolSimilarity {
  const places = new Map<FoundItem, number>(pool.map((item, place) => [item, place]));
  const size = pool.length;
  const numbers = Int32Array.from(pool, numberOf);
  const matrix = scorer.similarities(numbers, numbers);
  return {
    raise: (closest, item) => {
      const place = places.get(item);
      // Pinned and promoted items may come from elsewhere.
      const own = place === undefined ? Int32Array.of(numberOf(item)) : undefined;
      const forth = own ? scorer.similarities(own, numbers) : matrix;
      const back = own ? scorer.similarities(numbers, own) : matrix;
      const [forthFrom, backFrom, backStep] = place === undefined ? [0, 0, 1] : [place * size, place, size];
      for (let other = 0; other < size; other++) {
        const steps = Math.max(forth[forthFrom + other] ?? 0, back[backFrom + other * backStep] ?? 0);
        if (steps / similaritySteps > (closest[other] ?? 0)) closest[other] = steps / similaritySteps;
      }
    },
  };
}

const numberOf = ({ candidate }: FoundItem) => candidate.number ?? -1;

/** By attributes: the share of values that two items have in common (Jaccard). */
export function similarityByAttributes(pool: readonly FoundItem[]): PoolSimilarity {
  const places = new Map<string, number[]>();
  const sizeAt = (place: number) => pool[place]?.marks?.tokens.length ?? 0;
  for (const [place, { marks }] of pool.entries())
    for (const token of marks?.tokens ?? []) {
      const known = places.get(token);
      if (known) known.push(place);
      else places.set(token, [place]);
    }
  return {
    raise: (closest, { marks }) => {
      const tokens = marks?.tokens ?? [];
      const shared = new Uint8Array(pool.length);
      for (const token of tokens)
        for (const place of places.get(token) ?? []) shared[place] = (shared[place] ?? 0) + 1;
      for (const [place, count] of shared.entries()) {
        const similarity = count > 0 ? count / (tokens.length + sizeAt(place) - count) : 0;
        if (similarity > (closest[place] ?? 0)) closest[place] = similarity;
      }
    },
  };
}

/**
 * Balances an item's place in the order and its similarity to what was taken (maximal marginal relevance). Relevance falls
 * evenly from 1 to 0 over the pool, so it means the same for any model, with a ranker, and for items without a score.
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
