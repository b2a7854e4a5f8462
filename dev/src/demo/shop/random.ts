import { seededRandom } from '@tastegraph/algorithms';

/** Seeded random choices. */
export class Random {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From `low` (inclusive) to `high` (exclusive). */
  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  /** An integer from `low` to `high`, both inclusive. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  oneOf<T>(from: readonly T[]): T {
    return required(from[this.integer(0, from.length - 1)]);
  }

  /** One element of `from`, with a probability proportional to its weight. */
  weighted<T>(from: readonly T[], weightOf: (element: T, index: number) => number): T {
    const weights = from.map(weightOf);
    let left = this.between(
      0,
      weights.reduce((sum, weight) => sum + weight, 0),
    );
    const index = weights.findIndex((weight) => (left -= weight) < 0);
    return required(from[index < 0 ? from.length - 1 : index]);
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Cannot choose from an empty list.');
  return value;
}
