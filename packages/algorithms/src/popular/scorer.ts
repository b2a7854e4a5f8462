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
  readonly isPresorted = true;
  readonly #model: PopularModel;
  readonly #popular: Uint32Array;
  readonly #blends: readonly Blend[];

  constructor(model: PopularModel, popular = byPopularity(model)) {
    this.#model = model;
    this.#popular = popular;
    this.#blends = blendsOf(model);
  }

  recommend(user: User, options: RecommendOptions): Recommendation[] {
    const { n, masked, among, boost, keepSeen = false, keepDisliked = false, after } = options;
    const { item, type } = user.events;
    const excluded = dislikedItems(user.events, keepDisliked ? [] : (this.#model.negativeTypes ?? []));
    if (!keepSeen) for (const [place, one] of item.entries()) if (type[place] === 0) excluded.add(one);
    const isListed = (one: number) => !excluded.has(one) && !masked?.(one);
    const group = groupOf(this.#model, user.attributes);
    if (among) return this.#rank(group, among.filter(isListed)).slice(0, n);
    if (boost) return this.#boostList(group, { ...options, boost, excluded });
    const list: Recommendation[] = [];
    if (n > 0)
      this.#visit(group, after?.item, (one, score) => {
        if (isListed(one)) list.push({ item: one, score, isFilled: false });
        return list.length < n;
      });
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

  /**
   * Visits the items after `after`, best first, until `visit` returns false: the group's items and the others, each in order,
   * merged by score. The order depends only on the model and the group, so the place of `after` is found by its score.
   */
  #visit(
    group: number | undefined,
    after: number | undefined,
    visit: (item: number, score: number) => boolean,
  ): void {
    const model = this.#model;
    const popular = this.#popular;
    if (after !== undefined && after >= model.popularity.length) return;
    const last = after === undefined ? undefined : this.#rate(group, after);
    const blend = group === undefined ? everybody : this.#blends[group]!;
    const scoreOf = (item: number) => blend.whole * model.popularity[item]!;
    const rated = (index: number): Rated => {
      const place = model.ranked[index]!;
      return { item: model.item[place]!, score: scoreAt(model, blend, place), isOwn: true };
    };
    let rank = group === undefined ? 0 : model.offsets[group]!;
    const end = group === undefined ? 0 : model.offsets[group + 1]!;
    let next = 0;
    if (last) {
      rank = firstPlace(rank, end, (index) => compare(last, rated(index)) < 0);
      next = firstPlace(0, popular.length, (index) => {
        const item = popular[index]!;
        return compare(last, { item, score: scoreOf(item), isOwn: false }) < 0;
      });
    }
    for (; next < popular.length; next++) {
      const item = popular[next]!;
      if (group !== undefined && this.#placeIn(group, item) !== undefined) continue;
      const score = scoreOf(item);
      for (; rank < end; rank++) {
        const own = rated(rank);
        if (own.score < score) break;
        if (!visit(own.item, own.score)) return;
      }
      if (!visit(item, score)) return;
    }
    for (; rank < end; rank++) {
      const own = rated(rank);
      if (!visit(own.item, own.score)) return;
    }
  }

  /** These items, best first. */
  #rank(group: number | undefined, items: readonly number[]): Recommendation[] {
    return items
      .filter((item) => item < this.#model.popularity.length)
      .map((item) => this.#rate(group, item))
      .sort(compare)
      .map(({ item, score }) => ({ item, score, isFilled: false }));
  }

  #rate(group: number | undefined, item: number): Rated {
    const place = group === undefined ? undefined : this.#placeIn(group, item);
    const blend = group === undefined ? everybody : this.#blends[group]!;
    if (place !== undefined) return { item, score: scoreAt(this.#model, blend, place), isOwn: true };
    return { item, score: blend.whole * this.#model.popularity[item]!, isOwn: false };
  }

  /** The best after boosting. */
  #boostList(
    group: number | undefined,
    {
      n,
      boost,
      masked,
      after,
      excluded,
    }: RecommendOptions & { readonly boost: Boost; readonly excluded: ReadonlySet<number> },
  ): Recommendation[] {
    const best = new TopK(n);
    this.#visit(group, undefined, (item, score) => {
      // Scores fall, so no later item can be kept either.
      if (!best.takes(0, score * boost.maxFactor)) return false;
      if (excluded.has(item)) return true;
      const final = score * boost.factorOf(item);
      if (after && !comesAfter(item, final, after)) return true;
      if (best.takes(item, final) && !masked?.(item)) best.offer(item, final);
      return true;
    });
    return recommendationsOf(best, false);
  }

  #placeIn(group: number, item: number): number | undefined {
    const { offsets, item: items } = this.#model;
    return find(items, offsets[group]!, offsets[group + 1]!, item);
  }
}

/** An item's score, and whether it is one of the group's items. */
interface Rated {
  readonly item: number;
  readonly score: number;
  readonly isOwn: boolean;
}

const everybody: Blend = { whole: 1, own: 0 };

/** The order of a list: of equal scores, the group's items come first, then lower numbers. */
const compare = (one: Rated, other: Rated) =>
  other.score - one.score || Number(other.isOwn) - Number(one.isOwn) || one.item - other.item;

/** The first place from which on `isAfter` holds. */
function firstPlace(from: number, to: number, isAfter: (place: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
