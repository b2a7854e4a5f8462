import type { Query } from '../low-rank/query.ts';
import { comesAfter, recommendationsOf } from '../recommendations.ts';
import type { Boost, LateItems, Part, Recommendation, RecommendOptions, Scorer, User } from '../scorer.ts';
import { TopK } from '../top-k.ts';
import { type History, readHistory } from './history.ts';
import { MapScorer } from './item-map/map-scorer.ts';
import { find, type G1Model } from './model.ts';
import { explainLowRank, gainsFrom, Reranked, tasteOf, toStep } from './rerank.ts';
import { personalTerms, similarityAt } from './similar.ts';
import { rerankedItems } from './stored-factors.ts';
import { type Term, termsOf } from './terms.ts';

/** Bits of an item's state: some evidence reaches it; the user has seen it; it is ranked by its evidence. */
const reachedBit = 1;
const seenBit = 2;
const rankedBit = 4;

/** The model's items, the most popular first. */
export function byPopularity({ popularity }: G1Model): Uint32Array {
  return Uint32Array.from(popularity.keys()).sort((a, b) => popularity[b]! - popularity[a]! || a - b);
}

/** Scores any user with one model. Keeps 19 bytes of scratch memory per item: use one scorer per serving thread. */
export class G1Scorer implements Scorer {
  readonly model: G1Model;
  readonly #score: Float64Array;
  readonly #state: Uint8Array;
  readonly #touched: Uint32Array;
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
    this.#score = new Float64Array(model.items);
    this.#state = new Uint8Array(model.items);
    this.#touched = new Uint32Array(model.items);
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
    const score = this.#score;
    const state = this.#state;
    const touched = this.#touched;
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
    if (late) {
      const scores = this.#map!.lateScores(late);
      for (let place = 0; place < late.count; place++)
        if (scores[place]! > 0) offer(items + place, scores[place]!);
    }
    const scale = this.#popularScale(lowest === Infinity ? 1 : lowest);
    const list = among ? this.#listAmong(among, scale, options) : recommendationsOf(best, false);
    if (!among) list.push(...this.#fill(n - list.length, scale, options));
    if (late) list.push(...this.#fillLate(n - list.length, late, options));
    this.#clear(size, seen);
    return list;
  }

  /**
   * The terms of an item's score, in the order in which they were added. Their sum is exactly the score, and up to
   * rounding if the map is part of it. Sort by amount to show the main reasons.
   */
  explain(user: User, item: number, late?: LateItems): Part[] {
    const { offsets, target, value, rowScale, items } = this.model;
    const history = this.#read(user);
    if (user.anchors) return this.#explainSimilar(history, user.anchors, item);
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
    for (const item of hidden) this.#state[item] = seenBit;
    const size = this.#addTerms(terms);
    const reranked = this.#chooseReranked(size, new Set());
    this.#clear(size, hidden);
    this.#explained = { user, reranked, taste: tasteOf(terms, lowRank) };
    return this.#explained;
  }

  /** The items that get the low-rank part: the best that the user has not seen. */
  #chooseReranked(size: number, shown: ReadonlySet<number>): Reranked {
    const touched = this.#touched;
    const score = this.#score;
    const state = this.#state;
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
    const score = this.#score;
    const reranked = this.#chooseReranked(size, shown);
    const also = [...shown].filter((item) => item < items && reranked.includes(item, score[item]!));
    const all = also.length > 0 ? [...reranked.items, ...also] : reranked.items;
    const gains = gainsFrom(all, taste, lowRank);
    for (let place = 0; place < all.length; place++)
      score[all[place]!] = toStep(score[all[place]!]! + gains[place]!);
  }

  /** Resets the scratch memory for the next user. */
  #clear(size: number, seen: readonly number[]): void {
    for (let place = 0; place < size; place++) {
      this.#state[this.#touched[place]!] = 0;
      this.#score[this.#touched[place]!] = 0;
    }
    for (const item of seen) this.#state[item] = 0;
  }

  /** Whether the map is part of the item's score for this user. */
  #isCorrected(user: User, item: number): boolean {
    if (!this.#map) return false;
    if (this.#map.isFew(item)) return true;
    if (this.#corrected?.user !== user) this.recommend(user, { n: 0 });
    return this.#corrected?.items.includes(item) ?? false;
  }

  similarities(rows: Int32Array, columns: Int32Array): Uint8Array {
    const { offsets, target, value } = this.model;
    const columnOf = this.#column;
    for (let column = 0; column < columns.length; column++)
      if (columns[column]! >= 0) columnOf[columns[column]!] = column + 1;
    const matrix = new Uint8Array(rows.length * columns.length);
    // Column 0 takes all other items, so that the loop has no branches.
    const row = new Uint8Array(columns.length + 1);
    for (let place = 0; place < rows.length; place++) {
      const item = rows[place]!;
      if (item < 0) continue;
      row.fill(0);
      const end = offsets[item + 1]!;
      // Values are relative to the largest of their row.
      for (let entry = offsets[item]!; entry < end; entry++)
        row[columnOf[target[entry]!]!] = Math.max(0, value[entry]!);
      matrix.set(row.subarray(1), place * columns.length);
    }
    for (const item of columns) if (item >= 0) columnOf[item] = 0;
    return matrix;
  }

  /** Adds all that is known about a user to the scores. Returns how many items that touched. */
  #addEvidence(user: User, history: History, options: RecommendOptions): number {
    if (user.anchors) return this.#addSimilar(history, user.anchors);
    const terms = [...termsOf(this.model, history, user.attributes)];
    const size = this.#addTerms(terms);
    if (this.model.lowRank.rank > 0) this.#rerank(history, terms, size, options);
    return this.#map ? this.#addMap(this.#map, user, terms, size) : size;
  }

  /** Adds what the items' attributes say. */
  #addMap(map: MapScorer, user: User, terms: readonly Term[], reached: number): number {
    const score = this.#score;
    const state = this.#state;
    let size = reached;
    map.read(terms);
    for (let place = 0; place < size; place++) {
      const item = this.#touched[place]!;
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
        this.#touched[size++] = item;
        state[item] = reachedBit;
      }
      score[item]! += amount;
    }
    return size;
  }

  /** Adds terms to the scores. Returns how many items they touched. */
  #addTerms(terms: readonly Term[]): number {
    const { offsets, target, value, rowScale } = this.model;
    const score = this.#score;
    const state = this.#state;
    const touched = this.#touched;
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

  /** Adds the similarity to each anchor; then, to the items that this reached, the user's own terms. */
  #addSimilar(history: History, anchors: readonly number[]): number {
    const { offsets, target, value, rowScale } = this.model;
    const score = this.#score;
    const state = this.#state;
    let size = 0;
    for (const anchor of anchors)
      for (let place = offsets[anchor]!; place < offsets[anchor + 1]!; place++) {
        const amount = similarityAt(this.model, anchor, place);
        if (amount === 0) continue;
        const item = target[place]!;
        if (!(state[item]! & reachedBit)) this.#touched[size++] = item;
        state[item]! |= reachedBit;
        score[item]! += amount;
      }
    for (const { row, weight } of personalTerms(this.model, history, anchors))
      for (let place = offsets[row]!; place < offsets[row + 1]!; place++) {
        const item = target[place]!;
        if (state[item]! & reachedBit) score[item]! += weight * rowScale[row]! * value[place]!;
      }
    return size;
  }

  #explainSimilar(history: History, anchors: readonly number[], item: number): Part[] {
    const { offsets, target, value, rowScale } = this.model;
    const placeIn = (row: number) => find(target, offsets[row]!, offsets[row + 1]!, item);
    const partOf = (index: number, amount: number): Part => ({ kind: 'item', index, amount });
    const similar = anchors.flatMap((anchor) => {
      const place = placeIn(anchor);
      const amount = place === undefined ? 0 : similarityAt(this.model, anchor, place);
      return amount === 0 ? [] : [partOf(anchor, amount)];
    });
    const own = personalTerms(this.model, history, anchors).flatMap(({ index, row, weight }) => {
      const place = placeIn(row);
      return place === undefined ? [] : [partOf(index, weight * rowScale[row]! * value[place]!)];
    });
    return [...similar, ...own];
  }

  #read({ events }: User): History {
    return readHistory(events, 0, events.item.length, this.model.weights, []);
  }

  /** Scales popularity so that items without evidence score below all that evidence reached. */
  #popularScale(lowest: number): number {
    return lowest / ((this.model.popularity[this.#popular[0] ?? 0] ?? 0) + 1);
  }

  /** The `count` most popular items that evidence does not reach. */
  #fill(count: number, scale: number, { boost, masked, after }: RecommendOptions): Recommendation[] {
    const list: Recommendation[] = [];
    if (count <= 0 || (after?.isFilled && after.item >= this.model.items)) return list;
    const { popularity } = this.model;
    const popular = this.#popular;
    if (boost) return this.#fillBoosted(count, scale, { boost, masked, after });
    const from = after?.isFilled ? popular.indexOf(after.item) + 1 : 0;
    for (let place = from; place < popular.length && list.length < count; place++) {
      const item = popular[place]!;
      if (this.#state[item] === 0 && !masked?.(item))
        list.push({ item, score: scale * popularity[item]!, isFilled: true });
    }
    return list;
  }

  /** The first `count` late items that no evidence reaches. */
  #fillLate(count: number, late: LateItems, { masked, after }: RecommendOptions): Recommendation[] {
    const { items } = this.model;
    const list: Recommendation[] = [];
    if (count <= 0) return list;
    const scores = this.#map!.lateScores(late);
    const from = after?.isFilled && after.item >= items ? after.item - items + 1 : 0;
    for (let place = from; place < late.count && list.length < count; place++) {
      const item = items + place;
      if (!(scores[place]! > 0) && !masked?.(item)) list.push({ item, score: 0, isFilled: true });
    }
    return list;
  }

  #fillBoosted(
    count: number,
    scale: number,
    { boost, masked, after }: Pick<RecommendOptions, 'masked' | 'after'> & { readonly boost: Boost },
  ): Recommendation[] {
    const { popularity, items } = this.model;
    const best = new TopK(Math.min(count, items));
    for (const item of this.#popular) {
      const score = scale * popularity[item]!;
      // Popularity falls, so no later item can be kept either. The item number decides between equal scores.
      if (!best.takes(0, score * boost.maxFactor)) break;
      if (this.#state[item] !== 0) continue;
      const final = score * boost.factorOf(item);
      if (after?.isFilled && !comesAfter(item, final, after)) continue;
      if (best.takes(item, final) && !masked?.(item)) best.offer(item, final);
    }
    return recommendationsOf(best, true);
  }

  /** The given items in the order of a list of all. */
  #listAmong(among: Iterable<number>, scale: number, { n, masked }: RecommendOptions): Recommendation[] {
    const { popularity, items } = this.model;
    const list: Recommendation[] = [];
    for (const item of among) {
      const state = this.#state[item];
      if (item >= items || state === seenBit || masked?.(item)) continue;
      list.push(
        state === rankedBit
          ? { item, score: this.#score[item]!, isFilled: false }
          : { item, score: scale * popularity[item]!, isFilled: true },
      );
    }
    const rankOf = ({ item, score, isFilled }: Recommendation) => (isFilled ? popularity[item]! : score);
    return list
      .sort((a, b) => Number(a.isFilled) - Number(b.isFilled) || rankOf(b) - rankOf(a) || a.item - b.item)
      .slice(0, n);
  }
}

const follows = (item: number, score: number, after: Recommendation) =>
  !after.isFilled && comesAfter(item, score, after);
