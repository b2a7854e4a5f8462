/** One user of a sample: scores without the low-rank part of all items, and the history's items with their weights. */
export interface SampledUser {
  readonly sum: number;
  readonly squares: number;
  readonly token: ArrayLike<number>;
  readonly weight: ArrayLike<number>;
}

/** `stride` factors per item, and what they are multiplied by as evidence and as a candidate. */
export interface ScaledFactors {
  readonly stride: number;
  readonly vector: Float32Array;
  readonly source: Float32Array;
  readonly target: Float32Array;
}

/** Enough for two digits, at a cost far below that of the factors. */
const sampledItems = 2048;
export const sampledUsers = 256;

/** Numbers from 0 to `count`, at most `size` of them, evenly spaced. */
export function evenly(count: number, size: number): number[] {
  const taken = Math.min(count, size);
  return Array.from({ length: taken }, (_, place) => Math.floor((place * count) / taken));
}

/**
 * For each rank, how much wider other scores are spread than those of the low-rank part: the ratio of their standard
 * deviations over users and items. It makes a weight mean the same for any data.
 */
export function spreadRatios(
  users: readonly SampledUser[],
  items: number,
  { stride, vector, source, target }: ScaledFactors,
  ranks: readonly number[],
): number[] {
  const sample = evenly(items, sampledItems);
  const others = new Spread();
  const own = ranks.map(() => new Spread());
  const query = new Float64Array(stride);
  for (const { sum, squares, token, weight } of users) {
    others.add(sum, squares, items);
    query.fill(0);
    for (let place = 0; place < token.length; place++) {
      const item = token[place]!;
      const factor = weight[place]! * source[item]!;
      for (let k = 0; k < stride; k++) query[k]! += factor * vector[item * stride + k]!;
    }
    for (const item of sample) {
      let dot = 0;
      let k = 0;
      for (let index = 0; index < ranks.length; index++) {
        for (; k < ranks[index]!; k++) dot += query[k]! * vector[item * stride + k]!;
        const score = target[item]! * dot;
        own[index]!.add(score, score * score, 1);
      }
    }
  }
  return own.map((spread) => (spread.deviation() > 0 ? others.deviation() / spread.deviation() : 0));
}

class Spread {
  #sum = 0;
  #squares = 0;
  #count = 0;

  add(sum: number, squares: number, count: number): void {
    this.#sum += sum;
    this.#squares += squares;
    this.#count += count;
  }

  deviation(): number {
    const mean = this.#sum / Math.max(1, this.#count);
    return Math.sqrt(Math.max(0, this.#squares / Math.max(1, this.#count) - mean * mean));
  }
}
