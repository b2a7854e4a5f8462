import { combineFactors, matchFactors, type Query } from '../../low-rank/query.ts';
import type { Term } from '../data/term.ts';
import type { StoredFactors } from '../fit/stored-factors.ts';

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

/** What an item of the history adds to the gain of a candidate. */
export function gainFrom(from: number, weight: number, item: number, factors: StoredFactors): number {
  const { rank, factor, source, target } = factors;
  let dot = 0;
  for (let k = 0; k < rank; k++) dot += factor[from * rank + k]! * factor[item * rank + k]!;
  return target[item]! * weight * source[from]! * dot;
}
