import { combineFactors, matchFactors, type Query } from '../low-rank/query.ts';
import type { Part } from '../scorer.ts';
import type { TopK } from '../top-k.ts';
import type { StoredFactors } from './stored-factors.ts';
import type { Term } from './terms.ts';

/**
 * Scores with a low-rank part are multiples of 2^-32. Sums of such numbers up to a million are exact, so that reasons add up to
 * the score although the score itself is computed another way.
 */
const steps = 2 ** 32;
export const toStep = (score: number) => Math.round(score * steps) / steps;

/** A user's taste in terms of the factors: sum_i h_i source_i factor_i over the items of the history, if there are any. */
export function tasteOf(terms: Iterable<Term>, factors: StoredFactors): Query | undefined {
  const items: number[] = [];
  const weights: number[] = [];
  for (const { kind, index, weight } of terms) {
    if (kind !== 'item') continue;
    items.push(index);
    weights.push(weight * factors.source[index]!);
  }
  return items.length > 0 ? combineFactors(items, weights, factors) : undefined;
}

/** What candidates gain from a taste. */
export function gainsFrom(items: ArrayLike<number>, taste: Query, factors: StoredFactors): Float64Array {
  const gains = matchFactors(items, taste, factors);
  for (let place = 0; place < items.length; place++) gains[place]! *= factors.target[items[place]!]!;
  return gains;
}

/**
 * The reasons for a score with a low-rank part: each item of the history has one, for what its row and its factors add
 * together. All are multiples of the step, and the last takes what rounding left, so that they add up to the score.
 */
export function explainLowRank(
  parts: readonly Part[],
  terms: readonly Term[],
  item: number,
  score: number,
  factors: StoredFactors,
): Part[] {
  const items = terms.filter(({ kind }) => kind === 'item');
  const ofRow = new Map(parts.map((part) => [part.kind === 'item' ? part.index : -1, part.amount]));
  const rounded = [
    ...parts.filter(({ kind }) => kind !== 'item'),
    ...items.map(({ kind, index, weight }) => ({
      kind,
      index,
      amount: (ofRow.get(index) ?? 0) + gainFrom(index, weight, item, factors),
    })),
  ].map((part) => ({ ...part, amount: toStep(part.amount) }));
  const last = rounded.pop();
  const rest = rounded.reduce((sum, { amount }) => sum + amount, 0);
  return last ? [...rounded, { ...last, amount: score - rest }] : rounded;
}

/** What an item of the history adds to the gain of a candidate. */
function gainFrom(from: number, weight: number, item: number, factors: StoredFactors): number {
  const { rank, factor, source, target } = factors;
  let dot = 0;
  for (let k = 0; k < rank; k++) dot += factor[from * rank + k]! * factor[item * rank + k]!;
  return target[item]! * weight * source[from]! * dot;
}

/**
 * Which items get the low-rank part: those with a positive score that come before or at the last of the best by that score. It
 * depends only on the model and the user, never on a mask or a page.
 */
export class Reranked {
  readonly #best: TopK;

  /** `best` are the best of all items with a positive score. */
  constructor(best: TopK) {
    this.#best = best;
  }

  includes(item: number, score: number): boolean {
    return score > 0 && this.#best.takes(item, score);
  }

  get items(): Uint32Array {
    return this.#best.indices.subarray(0, this.#best.size);
  }
}
