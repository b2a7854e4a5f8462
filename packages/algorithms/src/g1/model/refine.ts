import { TopK } from '../../lib/top-k.ts';
import { combineFactors, matchFactors, type Query } from '../../low-rank/query.ts';
import type { LateItems, Part, User } from '../../scorer.ts';
import { reasonOf, type Term, toStep } from '../data/term.ts';
import type { StoredFactors } from '../fit/stored-factors.ts';
import type { ItemModel } from '../items/item-model.ts';
import { type BestItems, bestItems, findBest } from './best-items.ts';
import type { G1Model } from './model.ts';
import { reachedBit, type Scratch, seenBit } from './scratch.ts';

/**
 * Adds the parts of a score that go beyond M. The best items by M get the low-rank part and what the items' attributes
 * say (the map); other items with few events, and late items, get the map alone.
 */
export class Refiner {
  readonly #model: G1Model;
  readonly #itemModel: ItemModel | undefined;
  /** Reused: a call is short, and new arrays are a good part of it. */
  readonly #best = new TopK(bestItems);
  /** The last user that was explained, since a caller explains several items. */
  #explained: { readonly user: User; readonly best: BestItems } | undefined;

  private constructor(model: G1Model, itemModel: ItemModel | undefined) {
    this.#model = model;
    this.#itemModel = itemModel;
  }

  /** Undefined if the model has no such parts. */
  static of(model: G1Model, itemModel: ItemModel | undefined): Refiner | undefined {
    return itemModel || model.lowRank.rank > 0 ? new Refiner(model, itemModel) : undefined;
  }

  /**
   * Adds to the scores of the `reached` items by M. Items in `shown`, which the user has seen, have no influence on which
   * others get the parts. Returns how many items are reached now.
   */
  refine(
    scratch: Scratch,
    reached: number,
    terms: readonly Term[],
    shown: ReadonlySet<number> = new Set(),
  ): number {
    const map = this.#itemModel?.score;
    const { score } = scratch;
    const best = findBest(scratch, reached, shown, this.#best);
    const also = [...shown].filter((item) => item < this.#model.items && best.includes(item, score[item]!));
    const items = also.length > 0 ? [...best.items, ...also] : best.items;
    this.#itemModel?.read(terms);
    const size = map ? this.#addToFew(map, scratch, reached) : reached;
    const gains = this.#gainsOf(items, terms);
    for (let place = 0; place < items.length; place++) {
      const item = items[place]!;
      const mapped = map && !map.isFew(item) ? toStep(score[item]! + map.amountOf(item)) : score[item]!;
      score[item] = gains ? toStep(mapped + gains[place]!) : mapped;
    }
    return size;
  }

  /** Items with few events get the map for every user, whether M reaches them or not. */
  #addToFew(map: ItemModel['score'], { score, state, touched }: Scratch, reached: number): number {
    const { few } = map;
    const amounts = map.fewAmounts();
    let size = reached;
    for (let place = 0; place < few.length; place++) {
      const item = few[place]!;
      if (state[item]! & seenBit) continue;
      const amount = amounts[place]!;
      if (!(state[item]! & reachedBit)) {
        if (!(amount > 0)) continue;
        touched[size++] = item;
        state[item] = reachedBit;
      }
      score[item] = toStep(score[item]! + amount);
    }
    return size;
  }

  /** Undefined without a low-rank part, or for a user without items. */
  #gainsOf(items: ArrayLike<number>, terms: readonly Term[]): Float64Array | undefined {
    const { lowRank } = this.#model;
    const taste = lowRank.rank > 0 ? tasteOf(terms, lowRank) : undefined;
    return taste && gainsFrom(items, taste, lowRank);
  }

  /** The best items of a user; `find` is called for another user than the last. */
  bestFor(user: User, find: () => BestItems): BestItems {
    if (this.#explained?.user !== user) this.#explained = { user, best: find() };
    return this.#explained.best;
  }

  /** The reasons for an item of the model; `parts` are those that M gives. */
  explain(terms: readonly Term[], parts: ReadonlyMap<Term, Part>, item: number, best: BestItems): Part[] {
    const map = this.#itemModel?.score;
    const { lowRank } = this.#model;
    let score = plainScore(this.#model, parts);
    const isBest = best.includes(item, score);
    const ofMap = map && (isBest || map.isFew(item)) ? map : undefined;
    const gains = isBest ? this.#gainsOf([item], terms) : undefined;
    if (!ofMap && !gains) return plainReasons(this.#model, terms, parts);
    if (ofMap) {
      this.#itemModel?.read(terms);
      score = toStep(score + ofMap.amountOf(item));
    }
    if (gains) score = toStep(score + gains[0]!);
    return settle(score, terms, parts, (term) => {
      const { kind, index, weight } = term;
      const mapped = ofMap?.termAmount(term, item) ?? 0;
      return mapped + (gains && kind === 'item' ? gainFrom(index, weight, item, lowRank) : 0);
    });
  }

  /** The reasons for a late item: its attributes, and the users who took it, whose `amounts` are those of the evidence. */
  explainLate(terms: readonly Term[], place: number, late: LateItems, amounts?: Float64Array): Part[] {
    if (!this.#itemModel || place >= late.count) return [];
    this.#itemModel.read(terms);
    const scores = this.#itemModel.late;
    return settle(scores.scoreOf(late, place, amounts), terms, new Map(), (term) =>
      scores.termAmount(term, late, place),
    );
  }
}

const sumOf = (parts: Iterable<Part>) => {
  let sum = 0;
  for (const { amount } of parts) sum += amount;
  return sum;
};

/** One reason per term. All are multiples of the step; the last takes what rounding left, so that they add up to the score. */
function settle(
  score: number,
  terms: readonly Term[],
  parts: ReadonlyMap<Term, Part>,
  extraOf: (term: Term) => number,
): Part[] {
  const rounded: Part[] = [];
  for (const term of terms) {
    const own = parts.get(term);
    const extra = extraOf(term);
    if (own || extra !== 0) rounded.push({ ...reasonOf(term), amount: toStep((own?.amount ?? 0) + extra) });
  }
  const last = rounded.pop();
  return mergeParts(last ? [...rounded, { ...last, amount: score - sumOf(rounded) }] : rounded);
}

/** One reason per piece of evidence: pairs and anchors may have several. Sums of multiples of the step are exact. */
export function mergeParts(parts: readonly Part[]): Part[] {
  const merged = new Map<string, Part>();
  for (const part of parts) {
    const key = `${part.kind} ${part.index}`;
    const known = merged.get(key);
    merged.set(key, known ? { ...known, amount: known.amount + part.amount } : part);
  }
  return [...merged.values()];
}

/** The score by M, rounded as the scorer rounds it; `parts` are its terms in the order in which they are added. */
const plainScore = ({ pairs }: G1Model, parts: ReadonlyMap<Term, Part>) => {
  const sum = sumOf(parts.values());
  return pairs ? toStep(sum) : sum;
};

/** The reasons for a score by M alone. */
export function plainReasons(model: G1Model, terms: readonly Term[], parts: ReadonlyMap<Term, Part>): Part[] {
  return model.pairs ? settle(plainScore(model, parts), terms, parts, () => 0) : [...parts.values()];
}

/** A user's taste in terms of the factors: sum_i h_i source_i factor_i over the items of the history, if there are any. */
function tasteOf(terms: Iterable<Term>, factors: StoredFactors): Query | undefined {
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
function gainsFrom(items: ArrayLike<number>, taste: Query, factors: StoredFactors): Float64Array {
  const gains = matchFactors(items, taste, factors);
  for (let place = 0; place < items.length; place++) gains[place]! *= factors.target[items[place]!]!;
  return gains;
}

/** What an item of the history adds to the gain of a candidate. */
function gainFrom(from: number, weight: number, item: number, factors: StoredFactors): number {
  const { rank, factor, source, target } = factors;
  let dot = 0;
  for (let k = 0; k < rank; k++) dot += factor[from * rank + k]! * factor[item * rank + k]!;
  return target[item]! * weight * source[from]! * dot;
}
