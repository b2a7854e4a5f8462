import type { ScaledFactors } from '../../low-rank/scale.ts';
import { bestItems } from '../model/best-items.ts';

/** The histories of users: those of user u are from offsets[u] to offsets[u + 1]. */
interface Histories {
  readonly offsets: Uint32Array;
  readonly token: Uint32Array;
  readonly weight: Float32Array;
  readonly age: Float32Array;
}

/** A low-rank part to evaluate: the first `rank` factors, multiplied by `gain`. */
export interface Variant {
  readonly rank: number;
  readonly gain: number;
}

export const noVariant: Variant = { rank: 0, gain: 0 };

/** What the best items of a user gain from low-rank parts, before these are stored. */
export class FactorMatcher {
  readonly #histories: Histories;
  readonly #items: number;
  readonly #recency: number;
  readonly #factors: ScaledFactors;
  readonly #taste: Float64Array;
  readonly #dot = new Float64Array(bestItems);
  readonly #gain = new Float64Array(bestItems);
  #summed = 0;

  constructor(histories: Histories, items: number, recency: number, factors: ScaledFactors) {
    this.#histories = histories;
    this.#items = items;
    this.#recency = recency;
    this.#factors = factors;
    this.#taste = new Float64Array(factors.stride);
  }

  /** Reads the history of a user. */
  read(index: number): void {
    const { offsets, token, weight, age } = this.#histories;
    const { stride, vector, source } = this.#factors;
    const taste = this.#taste;
    taste.fill(0);
    this.#dot.fill(0);
    this.#summed = 0;
    for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
      const item = token[cell]!;
      if (item >= this.#items) continue;
      const scaled = weight[cell]! * (1 + age[cell]!) ** -this.#recency * source[item]!;
      for (let k = 0; k < stride; k++) taste[k]! += scaled * vector[item * stride + k]!;
    }
  }

  /**
   * The gains of these items, at most `bestItems` and always the same for one user. Variants come by ascending rank, so that each adds only
   * its own factors. Valid until the next call.
   */
  gains(items: Uint32Array, { rank, gain }: Variant): Float64Array {
    const { stride, vector, target } = this.#factors;
    for (let place = 0; place < items.length; place++) {
      const item = items[place]!;
      let sum = this.#dot[place]!;
      for (let k = this.#summed; k < rank; k++) sum += this.#taste[k]! * vector[item * stride + k]!;
      this.#dot[place] = sum;
      this.#gain[place] = gain * target[item]! * sum;
    }
    this.#summed = Math.max(this.#summed, rank);
    return this.#gain;
  }
}
