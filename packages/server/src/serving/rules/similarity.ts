import type { Scorer } from '@tastegraph/algorithms';
import type { CallBudget } from '../call-budget.ts';
import type { FoundItem } from '../item-finder.ts';

/** Which items of a pool are similar to an item. */
export interface PoolSimilarity {
  /** Calls `visit` with the place of each similar item, and how similar it is, 0 to 1. */
  visit(item: FoundItem, visit: (place: number, similarity: number) => void): void;
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

type Similar = NonNullable<Scorer['similar']>;

/** Similarity by the model: the larger of the two directions. */
export async function similarityByModel(
  pool: readonly FoundItem[],
  similar: Similar,
  budget: CallBudget,
): Promise<PoolSimilarity> {
  const places = new Map<number, number>();
  for (const [place, { candidate }] of pool.entries())
    if (candidate.number !== undefined) places.set(candidate.number, place);
  /** By item number: the places of the items that name it as similar. */
  const reverse = new Map<number, [place: number, similarity: number][]>();
  let next = 0;
  await budget.forEach(() => {
    const number = pool[next]?.candidate.number;
    const place = next++;
    if (number !== undefined)
      similar(number, (other, similarity) => {
        budget.spend(1);
        if (!places.has(other)) return;
        const known = reverse.get(other);
        if (known) known.push([place, similarity]);
        else reverse.set(other, [[place, similarity]]);
      });
    return next < pool.length;
  });
  return {
    visit: ({ candidate: { number } }, visit) => {
      if (number === undefined) return;
      similar(number, (other, similarity) => {
        const place = places.get(other);
        if (place !== undefined) visit(place, similarity);
      });
      for (const [place, similarity] of reverse.get(number) ?? []) visit(place, similarity);
    },
  };
}

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
    visit: ({ marks }, visit) => {
      const tokens = marks?.tokens ?? [];
      const shared = new Uint8Array(pool.length);
      for (const token of tokens)
        for (const place of places.get(token) ?? []) shared[place] = (shared[place] ?? 0) + 1;
      for (const [place, count] of shared.entries())
        if (count > 0) visit(place, count / (tokens.length + sizeAt(place) - count));
    },
  };
}
