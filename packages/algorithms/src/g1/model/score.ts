import { TopK } from '../../lib/top-k.ts';
import { byPopularity } from '../../popular/model.ts';
import {
  comesAfter,
  type LateItems,
  type Part,
  type Recommendation,
  type RecommendOptions,
  recommendationsOf,
  type Scorer,
  type User,
} from '../../scorer.ts';
import { type History, readHistory } from '../data/history.ts';
import type { Term } from '../data/term.ts';
import { ItemModel } from '../items/item-model.ts';
import { addTerms } from './add-terms.ts';
import { type BestItems, findBest } from './best-items.ts';
import { fillLate, fillPopular, listAmong, popularScale } from './fill.ts';
import type { G1Model } from './model.ts';
import { mergeParts, plainReasons, Refiner } from './refine.ts';
import { clearScratch, newScratch, rankedBit, reachedBit, type Scratch, seenBit } from './scratch.ts';
import { type Anchors, addSimilar, anchorTerms, compareItems, explainSimilar } from './similar.ts';
import { partsOf, termsOf } from './terms.ts';

/** Scores any user with one model. Keeps 19 bytes of scratch memory per item: use one scorer per serving thread. */
export class G1Scorer implements Scorer {
  readonly model: G1Model;
  readonly #scratch: Scratch;
  /** The column of each item that is compared; 0 for none. */
  readonly #column: Uint16Array;
  readonly #popular: Uint32Array;
  readonly #refiner: Refiner | undefined;
  readonly #itemModel: ItemModel | undefined;
  /** Absent if the model has no map. */
  readonly featuresOf?: (attributes: readonly number[]) => Uint32Array;
  readonly weighHistories?: NonNullable<Scorer['weighHistories']>;
  /** What evidence of late items adds for the user that is being scored. */
  #lateAmounts: Float64Array | undefined;

  /** `popular` is the result of `byPopularity`, for callers that already have it: sorting takes a while. */
  constructor(model: G1Model, popular = byPopularity(model)) {
    this.model = model;
    this.#scratch = newScratch(model.items);
    this.#column = new Uint16Array(model.items);
    this.#popular = popular;
    this.#itemModel = ItemModel.of(model);
    this.#refiner = Refiner.of(model, this.#itemModel);
    const late = this.#itemModel?.late;
    if (!late) return;
    this.featuresOf = (attributes) => late.featuresOf(attributes);
    this.weighHistories = (histories, events) => late.weighHistories(histories, events);
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
    const ofLate = this.#itemModel?.late;
    const late = ofLate && lateFor(user, options.late);
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
    const offerLate = (place: number, total: number) => {
      if (total > 0) offer(items + place, total);
    };
    // In a full list, only items above its last one matter.
    const floor = best.size === n ? best.scores[0]! / (boost?.maxFactor ?? 1) : 0;
    const isOffered = late && floor > 0 && ofLate.offer(late, this.#lateAmounts, floor, offerLate);
    const lateScores = among || isOffered ? undefined : late && ofLate.scores(late, this.#lateAmounts);
    for (let place = 0; place < (lateScores?.length ?? 0); place++) offerLate(place, lateScores![place]!);
    const popular = this.#popular;
    const scale = popularScale(this.model, popular, lowest === Infinity ? 1 : lowest);
    const fallback = { model: this.model, popular, score, state, scale };
    const lateScore = (place: number) => {
      if (!late || place >= late.count) return undefined;
      return ofLate.scoreOf(late, place, this.#lateAmounts);
    };
    const list = among ? listAmong(fallback, among, lateScore, options) : recommendationsOf(best, false);
    if (!among) list.push(...fillPopular(fallback, n - list.length, options));
    if (lateScores) list.push(...fillLate(items, n - list.length, lateScores, options));
    clearScratch(this.#scratch, size, seen);
    return list;
  }

  /** The terms of an item's score, in the order in which they were added. Their sum is exactly the score. */
  explain(user: User, item: number, given?: LateItems): Part[] {
    const { items } = this.model;
    const history = this.#read(user);
    const late = lateFor(user, given);
    const anchors = this.#anchorsOf(user);
    if (anchors && item < items) return explainSimilar(this.model, history, anchors, item);
    const terms = anchors
      ? anchorTerms(this.model, history, anchors)
      : [...termsOf(this.model, history, user.attributes)];
    if (item >= items) {
      const amounts = this.#addedBy(terms, () => this.#weighEvidence(terms, late));
      return mergeParts((late && this.#refiner?.explainLate(terms, item - items, late, amounts)) ?? []);
    }
    const parts = partsOf(this.model, terms, item);
    if (!this.#refiner) return plainReasons(this.model, terms, parts);
    const best = this.#refiner.bestFor(user, () => this.#findBest(history, terms));
    return this.#refiner.explain(terms, parts, item, best);
  }

  #findBest(history: History, terms: readonly Term[]): BestItems {
    const hidden = [...history.seen, ...history.disliked].filter((item) => item < this.model.items);
    for (const item of hidden) this.#scratch.state[item] = seenBit;
    const size = addTerms(this.model, this.#scratch, terms);
    const best = findBest(this.#scratch, size, new Set());
    clearScratch(this.#scratch, size, hidden);
    return best;
  }

  /** What `read` finds when the terms are added to the scores, and nothing else. */
  #addedBy<T>(terms: readonly Term[], read: () => T): T {
    const size = addTerms(this.model, this.#scratch, terms);
    const result = read();
    clearScratch(this.#scratch, size, []);
    return result;
  }

  #weighEvidence(terms: readonly Term[], late: LateItems | undefined): Float64Array | undefined {
    return late?.evidence && this.#itemModel?.late.evidenceAmounts(late.evidence, terms, this.#scratch.score);
  }

  similarities(rows: Int32Array, columns: Int32Array): Uint8Array {
    return compareItems(this.model, this.#column, rows, columns);
  }

  /** Adds all that is known about a user to the scores. Returns how many items that touched. */
  #addEvidence(user: User, history: History, options: RecommendOptions): number {
    const anchors = this.#anchorsOf(user);
    if (anchors) {
      this.#lateAmounts = undefined;
      if (options.late) this.#itemModel?.read(anchorTerms(this.model, history, anchors));
      return addSimilar(this.model, this.#scratch, history, anchors);
    }
    const terms = [...termsOf(this.model, history, user.attributes)];
    const size = addTerms(this.model, this.#scratch, terms);
    if (!this.#refiner) return size;
    this.#lateAmounts = this.#weighEvidence(terms, options.late);
    const { keepSeen = false, keepDisliked = false } = options;
    const shown = new Set([...(keepSeen ? history.seen : []), ...(keepDisliked ? history.disliked : [])]);
    return this.#refiner.refine(this.#scratch, size, terms, shown);
  }

  /** Undefined if the user's own events decide. */
  #anchorsOf({ anchors, lateAnchors = [] }: User): Anchors | undefined {
    if (!anchors) return undefined;
    const similar = this.#itemModel?.similar;
    return { known: anchors, late: lateAnchors.flatMap((of) => similar?.to(of, this.#popular) ?? []) };
  }

  #read({ events }: User): History {
    return readHistory(events, 0, events.item.length, this.model.weights, []);
  }
}

/** What is similar to an item does not depend on who took late items. */
const lateFor = ({ anchors }: User, late: LateItems | undefined): LateItems | undefined =>
  anchors && late ? { ...late, evidence: undefined } : late;

const follows = (item: number, score: number, after: Recommendation) =>
  !after.isFilled && comesAfter(item, score, after);
