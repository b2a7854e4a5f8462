import { type Scorer, similaritySteps } from '@tastegraph/algorithms';
import type { CallBudget } from '../call-budget.ts';
import type { FoundItem } from '../search/item-finder.ts';

/** How similar the items of a pool are to an item. */
export interface PoolSimilarity {
  /** Raises `closest`, by place in the pool, to the similarity to the item, 0 to 1. */
  raise(closest: Float64Array, item: FoundItem): void;
}

/**
 * The most attribute values per item that are compared, and their length: categories, not descriptions. If 1,000 items share
 * all of theirs, choosing one of them takes a fraction of a millisecond.
 */
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
