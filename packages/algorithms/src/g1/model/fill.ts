import { TopK } from '../../lib/top-k.ts';
import {
  type Boost,
  comesAfter,
  type Recommendation,
  type RecommendOptions,
  recommendationsOf,
} from '../../scorer.ts';
import type { G1Model } from './model.ts';
import { rankedBit, type Scratch, seenBit } from './scratch.ts';

/** How lists end that evidence does not fill. */
export interface Fallback extends Pick<Scratch, 'score' | 'state'> {
  readonly model: G1Model;
  /** All items, the most popular first. */
  readonly popular: Uint32Array;
  /** Of the popularity, so that items without evidence score below all that evidence reached. */
  readonly scale: number;
}

/** `lowest` is the lowest score that evidence gives. */
export const popularScale = ({ popularity }: G1Model, popular: Uint32Array, lowest: number): number =>
  lowest / ((popularity[popular[0] ?? 0] ?? 0) + 1);

/** The `count` most popular items that evidence does not reach. */
export function fillPopular(
  fallback: Fallback,
  count: number,
  { boost, masked, after }: RecommendOptions,
): Recommendation[] {
  const { model, popular, state, scale } = fallback;
  const list: Recommendation[] = [];
  if (count <= 0 || (after?.isFilled && after.item >= model.items)) return list;
  if (boost) return fillBoosted(fallback, count, { boost, masked, after });
  const from = after?.isFilled ? popular.indexOf(after.item) + 1 : 0;
  for (let place = from; place < popular.length && list.length < count; place++) {
    const item = popular[place]!;
    if (state[item] === 0 && !masked?.(item))
      list.push({ item, score: scale * model.popularity[item]!, isFilled: true });
  }
  return list;
}

function fillBoosted(
  { model, popular, state, scale }: Fallback,
  count: number,
  { boost, masked, after }: Pick<RecommendOptions, 'masked' | 'after'> & { readonly boost: Boost },
): Recommendation[] {
  const best = new TopK(Math.min(count, model.items));
  for (const item of popular) {
    const score = scale * model.popularity[item]!;
    // Popularity falls, so no later item can be kept either. The item number decides between equal scores.
    if (!best.takes(0, score * boost.maxFactor)) break;
    if (state[item] !== 0) continue;
    const final = score * boost.factorOf(item);
    if (after?.isFilled && !comesAfter(item, final, after)) continue;
    if (best.takes(item, final) && !masked?.(item)) best.offer(item, final);
  }
  return recommendationsOf(best, true);
}

/** The first `count` late items whose `scores` say nothing. They follow all items of the model. */
export function fillLate(
  items: number,
  count: number,
  scores: ArrayLike<number>,
  { masked, after }: RecommendOptions,
): Recommendation[] {
  const list: Recommendation[] = [];
  const from = after?.isFilled && after.item >= items ? after.item - items + 1 : 0;
  for (let place = from; place < scores.length && list.length < count; place++) {
    const item = items + place;
    if (!(scores[place]! > 0) && !masked?.(item)) list.push({ item, score: 0, isFilled: true });
  }
  return list;
}

/** The given items in the order of a list of all. `lateScore` is that of a late item. */
export function listAmong(
  { model, score, state, scale }: Fallback,
  among: Iterable<number>,
  lateScore: ((place: number) => number | undefined) | undefined,
  { n, masked }: RecommendOptions,
): Recommendation[] {
  const { popularity, items } = model;
  const list: Recommendation[] = [];
  for (const item of among) {
    if (state[item] === seenBit || masked?.(item)) continue;
    if (item >= items) {
      const own = lateScore?.(item - items);
      if (own !== undefined) list.push({ item, score: Math.max(0, own), isFilled: !(own > 0) });
      continue;
    }
    list.push(
      state[item] === rankedBit
        ? { item, score: score[item]!, isFilled: false }
        : { item, score: scale * popularity[item]!, isFilled: true },
    );
  }
  const rankOf = ({ item, score: own, isFilled }: Recommendation) =>
    isFilled ? (popularity[item] ?? -1) : own;
  return list
    .sort((a, b) => Number(a.isFilled) - Number(b.isFilled) || rankOf(b) - rankOf(a) || a.item - b.item)
    .slice(0, n);
}
