import type { Query } from '../low-rank/query.ts';
import { comesAfter, recommendationsOf } from '../recommendations.ts';
import type { LateItems, Part, Recommendation, RecommendOptions, Scorer, User } from '../scorer.ts';
import { TopK } from '../top-k.ts';
import { fillLate, fillPopular, listAmong, popularScale } from './fill.ts';
import { type History, readHistory } from './history.ts';
import { MapScorer } from './item-map/map-scorer.ts';
import { find, type G1Model } from './model.ts';
import { explainLowRank, gainsFrom, Reranked, tasteOf, toStep } from './rerank.ts';
import { clearScratch, newScratch, rankedBit, reachedBit, type Scratch, seenBit } from './scratch.ts';
import { addSimilar, compareItems, explainSimilar } from './similar.ts';
import { rerankedItems } from './stored-factors.ts';
import { type Term, termsOf } from './terms.ts';

/** The model's items, the most popular first. */
export function byPopularity({ popularity }: G1Model): Uint32Array {
  return Uint32Array.from(popularity.keys()).sort((a, b) => popularity[b]! - popularity[a]! || a - b);
}

/** Scores any user with one model. Keeps 19 bytes of scratch memory per item: use one scorer per serving thread. */
export class G1Scorer implements Scorer {
  readonly model: G1Model;
  readonly #scratch: Scratch;
  /** The column of each item that is compared; 0 for none. */
  readonly #column: Uint16Array;
  readonly #popular: Uint32Array;
  readonly #map: MapScorer | undefined;
  /** The user of the latest list, and the items whose scores the map corrected. */
  #explained: { user: User; reranked: Reranked; taste: Query | undefined } | undefined;
  #corrected: { readonly user: User; readonly items: Uint32Array } | undefined;
  /** Absent if the model has no map. */
  readonly featuresOf?: (attributes: readonly number[]) => Uint32Array;

  /** `popular` is the result of `byPopularity`, for callers that already have it: sorting takes a while. */
  constructor(model: G1Model, popular = byPopularity(model)) {
    this.model = model;
    this.#scratch = newScratch(model.items);
    this.#column = new Uint16Array(model.items);
    this.#popular = popular;
    const map = MapScorer.of(model);
    this.#map = map;
    if (map) this.featuresOf = (attributes) => map.featuresOf(attributes);
  }

  /** The n best of all items, best first. The most popular items follow those that evidence reaches. */
  recommend(user: User, options: RecommendOptions): Recommendation[] {
    const { n, among, boost, masked, keepSeen = false, keepDisliked = false, after } = options;
    const { items } = this.model;
    const { score, state, touched } = this.#scratch;
    const history = this.#read(user);
    const excluded = [...(keepSeen ? [] : history.seen), ...(keepDisliked ? [] : history.disliked)];
    const seen = excluded.filter((item) => item < items);
    for (const item of seen) state[item] = seenBit;
    const size = this.#addEvidence(user, history, options);
    const late = this.#map && !user.anchors && !among ? options.late : undefined;
    // Once an earlier list has reached the popular items, nothing ranked by evidence is left.
    const best = new TopK(after?.isFilled || among ? 0 : Math.min(n, items + (late?.count ?? 0)));
    // Includes masked items, so that a score does not depend on the mask.
    let lowest = Infinity;
    const offer = (item: number, total: number) => {
      lowest = Math.min(lowest, total);
      // Calling `factorOf` and `masked` may cost more than checking first whether the item would be kept.
      if (boost && !best.takes(item, total * boost.maxFactor)) return;
      const final = boost ? total * boost.factorOf(item) : total;
      if (after && !follows(item, final, after)) return;
      if (best.takes(item, final) && !masked?.(item)) best.offer(item, final);
    };
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      const total = score[item]!;
      if (state[item] !== reachedBit || !(total > 0)) {
        state[item]! &= seenBit;
        continue;
      }
      state[item] = rankedBit;
      offer(item, total);
    }
    const lateScores = late && this.#map?.lateScores(late);
    for (let place = 0; place < (lateScores?.length ?? 0); place++)
      if (lateScores![place]! > 0) offer(items + place, lateScores![place]!);
    const popular = this.#popular;
    const scale = popularScale(this.model, popular, lowest === Infinity ? 1 : lowest);
    const fallback = { model: this.model, popular, score, state, scale };
    const list = among ? listAmong(fallback, among, options) : recommendationsOf(best, false);
    if (!among) list.push(...fillPopular(fallback, n - list.length, options));
    if (lateScores) list.push(...fillLate(items, n - list.length, lateScores, options));
    clearScratch(this.#scratch, size, seen);
    return list;
  }

  /**
   * The terms of an item's score, in the order in which they were added. Their sum is exactly the score, and up to
   * rounding if the map is part of it. Sort by amount to show the main reasons.
   */
  explain(user: User, item: number, late?: LateItems): Part[] {
    const { offsets, target, value, rowScale, items } = this.model;
    const history = this.#read(user);
    if (user.anchors) return explainSimilar(this.model, history, user.anchors, item);
    const terms = [...termsOf(this.model, history, user.attributes)];
    const map = this.#map;
    const isLate = item >= items;
    const isCorrected = !isLate && this.#isCorrected(user, item);
    const fromMap = (row: number) => {
      if (isLate) return late && item - items < late.count ? map!.lateRowAmount(row, late, item - items) : 0;
      return isCorrected ? map!.rowAmount(row, item) : 0;
    };
    const parts: Part[] = [];
    for (const { kind, index, row, weight } of terms) {
      if (kind === 'hint') {
        if (index === item) parts.push({ kind, index, amount: weight });
        continue;
      }
      const place = find(target, offsets[row]!, offsets[row + 1]!, item);
      const own = place === undefined ? undefined : weight * rowScale[row]! * value[place]!;
      const mapped = map ? weight * fromMap(row) : 0;
      if (own !== undefined || mapped !== 0) parts.push({ kind, index, amount: (own ?? 0) + mapped });
    }
    return this.model.lowRank.rank > 0 ? this.#explainReranked(user, history, terms, parts, item) : parts;
  }

  /** The same with the low-rank part, if the item gets it. */
  #explainReranked(
    user: User,
    history: History,
    terms: readonly Term[],
    parts: readonly Part[],
    item: number,
  ): Part[] {
    const { lowRank } = this.model;
    const { reranked, taste } = this.#rerankedFor(user, history, terms);
    const total = parts.reduce((sum, { amount }) => sum + amount, 0);
    if (!taste || !reranked.includes(item, total)) return [...parts];
    return explainLowRank(parts, terms, item, toStep(total + gainsFrom([item], taste, lowRank)[0]!), lowRank);
  }

  /** Which items are re-ranked for a user. The last user is remembered, since a caller explains several items. */
  #rerankedFor(user: User, history: History, terms: readonly Term[]) {
    if (this.#explained?.user === user) return this.#explained;
    const { items, lowRank } = this.model;
    const hidden = [...history.seen, ...history.disliked].filter((item) => item < items);
    for (const item of hidden) this.#scratch.state[item] = seenBit;
    const size = this.#addTerms(terms);
    const reranked = this.#chooseReranked(size, new Set());
    clearScratch(this.#scratch, size, hidden);
    this.#explained = { user, reranked, taste: tasteOf(terms, lowRank) };
    return this.#explained;
  }

  /** The items that get the low-rank part: the best that the user has not seen. */
  #chooseReranked(size: number, shown: ReadonlySet<number>): Reranked {
    const { touched, score, state } = this.#scratch;
    const best = new TopK(rerankedItems);
    const { scores } = best;
    // Rejects most items without a call.
    let floor = 0;
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      const total = score[item]!;
      if (!(total > 0) || total < floor || state[item]! & seenBit) continue;
      if (shown.size > 0 && shown.has(item)) continue;
      best.offer(item, total);
      if (best.size === rerankedItems) floor = scores[0]!;
    }
    return new Reranked(best);
  }

  /** Adds the low-rank part to the scores of the best items. */
  #rerank(
    history: History,
    terms: readonly Term[],
    size: number,
    { keepSeen = false, keepDisliked = false }: RecommendOptions,
  ): void {
    const { items, lowRank } = this.model;
    const taste = tasteOf(terms, lowRank);
    if (!taste) return;
    // Items that are shown only to this caller have no influence on which others are re-ranked.
    const shown = new Set([...(keepSeen ? history.seen : []), ...(keepDisliked ? history.disliked : [])]);
    const { score } = this.#scratch;
    const reranked = this.#chooseReranked(size, shown);
    const also = [...shown].filter((item) => item < items && reranked.includes(item, score[item]!));
    const all = also.length > 0 ? [...reranked.items, ...also] : reranked.items;
    const gains = gainsFrom(all, taste, lowRank);
    for (let place = 0; place < all.length; place++)
      score[all[place]!] = toStep(score[all[place]!]! + gains[place]!);
  }

  /** Whether the map is part of the item's score for this user. */
  #isCorrected(user: User, item: number): boolean {
    if (!this.#map) return false;
    if (this.#map.isFew(item)) return true;
    if (this.#corrected?.user !== user) this.recommend(user, { n: 0 });
    return this.#corrected?.items.includes(item) ?? false;
  }

  similarities(rows: Int32Array, columns: Int32Array): Uint8Array {
    return compareItems(this.model, this.#column, rows, columns);
  }

  /** Adds all that is known about a user to the scores. Returns how many items that touched. */
  #addEvidence(user: User, history: History, options: RecommendOptions): number {
    if (user.anchors) return addSimilar(this.model, this.#scratch, history, user.anchors);
    const terms = [...termsOf(this.model, history, user.attributes)];
    const size = this.#addTerms(terms);
    if (this.model.lowRank.rank > 0) this.#rerank(history, terms, size, options);
    return this.#map ? this.#addMap(this.#map, user, terms, size) : size;
  }

  /** Adds what the items' attributes say. */
  #addMap(map: MapScorer, user: User, terms: readonly Term[], reached: number): number {
    const { score, state, touched } = this.#scratch;
    let size = reached;
    map.read(terms);
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      if (state[item] === reachedBit && score[item]! > 0) map.offer(item, score[item]!);
    }
    for (const item of map.highest) score[item]! += map.amountOf(item);
    this.#corrected = { user, items: map.highest.slice() };
    const { few } = map;
    const amounts = map.fewAmounts();
    for (let place = 0; place < few.length; place++) {
      const item = few[place]!;
      if (state[item]! & seenBit) continue;
      const amount = amounts[place]!;
      if (!(state[item]! & reachedBit)) {
        if (!(amount > 0)) continue;
        touched[size++] = item;
        state[item] = reachedBit;
      }
      score[item]! += amount;
    }
    return size;
  }

  /** Adds terms to the scores. Returns how many items they touched. */
  #addTerms(terms: readonly Term[]): number {
    const { offsets, target, value, rowScale } = this.model;
    const { score, state, touched } = this.#scratch;
    let size = 0;
    for (const { kind, index, row, weight } of terms) {
      if (kind === 'hint') {
        if (!(state[index]! & reachedBit)) touched[size++] = index;
        state[index]! |= reachedBit;
        score[index]! += weight;
        continue;
      }
      const scaled = weight * rowScale[row]!;
      const end = offsets[row + 1]!;
      for (let place = offsets[row]!; place < end; place++) {
        const item = target[place]!;
        if (!(state[item]! & reachedBit)) touched[size++] = item;
        state[item]! |= reachedBit;
        score[item]! += scaled * value[place]!;
      }
    }
    return size;
  }

  #read({ events }: User): History {
    return readHistory(events, 0, events.item.length, this.model.weights, []);
  }
}

const follows = (item: number, score: number, after: Recommendation) =>
  !after.isFilled && comesAfter(item, score, after);
