import { seededRandom } from '@tastegraph/algorithms';

/** Chance that falls the same way each time. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From `low` up to, not including, `high`. */
  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  happens(probability: number): boolean {
    return this.#random() < probability;
  }

  oneOf<T>(from: readonly T[]): T {
    return known(from[this.whole(0, from.length - 1)]);
  }

  /** One of `from`, as likely as its weight says. */
  weighted<T>(from: readonly T[], weightOf: (element: T, index: number) => number): T {
    const weights = from.map(weightOf);
    let left = this.between(
      0,
      weights.reduce((sum, weight) => sum + weight, 0),
    );
    const index = weights.findIndex((weight) => (left -= weight) < 0);
    return known(from[index < 0 ? from.length - 1 : index]);
  }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is nothing to choose from.');
  return value;
}
