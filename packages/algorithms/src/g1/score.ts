import type { Interactions } from '../interactions.ts';
import { TopK } from '../top-k.ts';
import { type History, readHistory } from './history.ts';
import type { G1Model } from './model.ts';
import { type Term, termsOf } from './terms.ts';

/** A user as asked about: events oldest first, and attribute values; known to the training or not. */
export interface User {
  readonly events: Pick<Interactions, 'item' | 'type' | 'value'>;
  readonly attributes: readonly number[];
}

/** One term of a score. */
export interface Part extends Pick<Term, 'kind' | 'index'> {
  readonly amount: number;
}

export interface Recommendation {
  readonly item: number;
  readonly score: number;
  /** No evidence reached it: its score is its popularity, below all that evidence reached. */
  readonly isFilled: boolean;
}

export interface RecommendOptions {
  readonly n: number;
  /** Items that may not be recommended, beside those that the target event already happened to. */
  readonly masked?: (item: number) => boolean;
  /** Recommends those that the target event already happened to as well. */
  readonly keepSeen?: boolean;
}

/** Not yet seen, reached by some evidence, not to be recommended. */
const reached = 1;
const had = 2;

/** The model's items, the most popular first. */
export function byPopularity({ popularity }: G1Model): Uint32Array {
  return Uint32Array.from(popularity.keys()).sort((a, b) => popularity[b]! - popularity[a]! || a - b);
}

/** Scores any user with one model. Keeps scratch memory of 17 bytes an item: one for each thread that serves. */
export class G1Scorer {
  readonly model: G1Model;
  readonly #score: Float64Array;
  readonly #state: Uint8Array;
  readonly #touched: Uint32Array;
  readonly #popular: Uint32Array;

  /** `popular` is what `byPopularity` says of the model, for who has that from elsewhere: it takes a while to sort. */
  constructor(model: G1Model, popular = byPopularity(model)) {
    this.model = model;
    this.#score = new Float64Array(model.items);
    this.#state = new Uint8Array(model.items);
    this.#touched = new Uint32Array(model.items);
    this.#popular = popular;
  }

  /** The n best of all items, best first; where evidence ends, the most popular follow. */
  recommend(user: User, { n, masked, keepSeen = false }: RecommendOptions): Recommendation[] {
    const { offsets, target, value, rowScale, items } = this.model;
    const score = this.#score;
    const state = this.#state;
    const touched = this.#touched;
    const history = this.#read(user);
    const seen = keepSeen ? [] : history.had.filter((item) => item < items);
    for (const item of seen) state[item] = had;
    let size = 0;
    for (const { kind, index, row, weight } of termsOf(this.model, history, user.attributes)) {
      if (kind === 'hint') {
        if (!(state[index]! & reached)) touched[size++] = index;
        state[index]! |= reached;
        score[index]! += weight;
        continue;
      }
      const scaled = weight * rowScale[row]!;
      const end = offsets[row + 1]!;
      for (let place = offsets[row]!; place < end; place++) {
        const item = target[place]!;
        if (!(state[item]! & reached)) touched[size++] = item;
        state[item]! |= reached;
        score[item]! += scaled * value[place]!;
      }
    }
    const best = new TopK(Math.min(n, items));
    // Of the masked ones too, so that a score is the same whatever is masked.
    let lowest = Infinity;
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      if (state[item] === reached && score[item]! > 0) {
        lowest = Math.min(lowest, score[item]!);
        // To ask for a mask may cost more than to see that it would not matter.
        if (best.takes(item, score[item]!) && !masked?.(item)) best.offer(item, score[item]!);
      }
      score[item] = 0;
      state[item]! &= had;
    }
    best.sort();
    const list = Array.from({ length: best.size }, (_, place) => ({
      item: best.indices[place]!,
      score: best.scores[place]!,
      isFilled: false,
    }));
    this.#fill(list, n, lowest === Infinity ? 1 : lowest, masked);
    for (const item of seen) state[item] = 0;
    return list;
  }

  /**
   * Why: the terms of an item's score, in the order in which they were added, so that adding them up again gives the
   * score to the last bit. Sort by amount for the reasons to show.
   */
  explain(user: User, item: number): Part[] {
    const { offsets, target, value, rowScale } = this.model;
    const parts: Part[] = [];
    for (const { kind, index, row, weight } of termsOf(this.model, this.#read(user), user.attributes)) {
      if (kind === 'hint') {
        if (index === item) parts.push({ kind, index, amount: weight });
        continue;
      }
      const place = find(target, offsets[row]!, offsets[row + 1]!, item);
      if (place !== undefined) parts.push({ kind, index, amount: weight * rowScale[row]! * value[place]! });
    }
    return parts;
  }

  #read({ events }: User): History {
    return readHistory(events, 0, events.item.length, this.model.eventScale, []);
  }

  #fill(list: Recommendation[], n: number, lowest: number, masked: RecommendOptions['masked']): void {
    if (list.length >= n) return;
    const { popularity } = this.model;
    const taken = new Set(list.map(({ item }) => item));
    const most = popularity[this.#popular[0] ?? 0] ?? 0;
    // Below whatever evidence says, in the order of popularity.
    const below = lowest / (most + 1);
    for (const item of this.#popular) {
      if (list.length >= n) return;
      if (this.#state[item] === had || taken.has(item) || masked?.(item)) continue;
      list.push({ item, score: below * popularity[item]!, isFilled: true });
    }
  }
}

function find(sorted: Uint32Array, from: number, to: number, wanted: number): number | undefined {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low < to && sorted[low] === wanted ? low : undefined;
}
