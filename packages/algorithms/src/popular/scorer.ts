import { dislikedItems } from '../data/interactions.ts';
import { find } from '../lib/find.ts';
import { TopK } from '../lib/top-k.ts';
import {
  type Boost,
  comesAfter,
  type Part,
  type Recommendation,
  type RecommendOptions,
  recommendationsOf,
  type Scorer,
  type User,
} from '../scorer.ts';
import { type Blend, blendsOf, byPopularity, groupOf, type PopularModel, scoreAt } from './model.ts';

/** Keeps 4 bytes per item. */
export class PopularScorer implements Scorer {
  readonly #model: PopularModel;
  readonly #popular: Uint32Array;
  readonly #blends: readonly Blend[];

  constructor(model: PopularModel, popular = byPopularity(model)) {
    this.#model = model;
    this.#popular = popular;
    this.#blends = blendsOf(model);
  }

  recommend(user: User, options: RecommendOptions): Recommendation[] {
    const { masked, among, boost, keepSeen = false, keepDisliked = false, after } = options;
    const listed = among && new Set(among);
    const n = Math.min(options.n, listed?.size ?? options.n);
    const { item, type } = user.events;
    const excluded = dislikedItems(user.events, keepDisliked ? [] : (this.#model.negativeTypes ?? []));
    if (!keepSeen) for (const [place, one] of item.entries()) if (type[place] === 0) excluded.add(one);
    const inOrder = this.#inOrder(groupOf(this.#model, user.attributes));
    if (boost) return boostList(inOrder, { ...options, boost, excluded });
    const list: Recommendation[] = [];
    // The order depends only on the model and the user's group, so a later list is found by skipping an earlier one.
    let hasBegun = after === undefined;
    for (const one of inOrder) {
      if (list.length >= n) break;
      if (hasBegun) {
        if (listed?.has(one.item) === false) continue;
        if (!excluded.has(one.item) && !masked?.(one.item)) list.push(one);
      } else hasBegun = one.item === after?.item;
    }
    return list;
  }

  explain(user: User, item: number): Part[] {
    const { popularity } = this.#model;
    if (item >= popularity.length) return [];
    const group = groupOf(this.#model, user.attributes);
    const blend = group === undefined ? undefined : this.#blends[group];
    if (group === undefined || !blend) return [{ kind: 'popularity', index: 0, amount: popularity[item]! }];
    const everybody = { kind: 'popularity', index: 0, amount: blend.whole * popularity[item]! } as const;
    const place = this.#placeIn(group, item);
    if (place === undefined) return [everybody];
    const amount = blend.own * this.#model.groupPopularity[place]!;
    return [everybody, { kind: 'attribute', index: (this.#model.attribute?.first ?? 0) + group, amount }];
  }

  /** All items: the group's items and the others, each best first, merged by score. */
  *#inOrder(group: number | undefined): Generator<Recommendation, void> {
    const model = this.#model;
    const blend = group === undefined ? undefined : this.#blends[group];
    const score = (item: number) => (blend ? blend.whole * model.popularity[item]! : model.popularity[item]!);
    let rank = group === undefined ? 0 : model.offsets[group]!;
    const end = group === undefined ? 0 : model.offsets[group + 1]!;
    for (const item of this.#popular) {
      if (group !== undefined && this.#placeIn(group, item) !== undefined) continue;
      for (; rank < end; rank++) {
        const place = model.ranked[rank]!;
        const better = scoreAt(model, blend!, place);
        if (better < score(item)) break;
        yield { item: model.item[place]!, score: better, isFilled: false };
      }
      yield { item, score: score(item), isFilled: false };
    }
    for (; rank < end; rank++) {
      const place = model.ranked[rank]!;
      yield { item: model.item[place]!, score: scoreAt(model, blend!, place), isFilled: false };
    }
  }

  #placeIn(group: number, item: number): number | undefined {
    const { offsets, item: items } = this.#model;
    return find(items, offsets[group]!, offsets[group + 1]!, item);
  }
}

/** Of items in order of score: the best after boosting. */
function boostList(
  inOrder: Iterable<Recommendation>,
  {
    n,
    boost,
    masked,
    after,
    excluded,
  }: RecommendOptions & { readonly boost: Boost; readonly excluded: ReadonlySet<number> },
): Recommendation[] {
  const best = new TopK(n);
  for (const { item, score } of inOrder) {
    // Scores fall, so no later item can be kept either.
    if (!best.takes(0, score * boost.maxFactor)) break;
    if (excluded.has(item)) continue;
    const final = score * boost.factorOf(item);
    if (after && !comesAfter(item, final, after)) continue;
    if (best.takes(item, final) && !masked?.(item)) best.offer(item, final);
  }
  return recommendationsOf(best, false);
}
