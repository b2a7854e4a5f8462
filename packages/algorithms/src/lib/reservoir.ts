import { seededRandom } from './random.ts';

/** A uniform sample in one pass (Vitter); all values while they fit. The same values and seed give the same sample. */
export class Reservoir<T> {
  readonly kept: T[] = [];
  readonly #size: number;
  readonly #random: () => number;
  #seen = 0;

  constructor(size: number, random = seededRandom(1)) {
    this.#size = size;
    this.#random = random;
  }

  add(value: T): void {
    this.#seen++;
    if (this.kept.length < this.#size) {
      this.kept.push(value);
      return;
    }
    const place = Math.floor(this.#random() * this.#seen);
    if (place < this.#size) this.kept[place] = value;
  }
}
