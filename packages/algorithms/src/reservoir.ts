import { seededRandom } from './random.ts';

/** A uniform sample of any number of values; all of them while they fit. The same values give the same sample. */
export class Reservoir<T> {
  readonly kept: T[] = [];
  readonly #size: number;
  readonly #random = seededRandom(1);
  #seen = 0;

  constructor(size: number) {
    this.#size = size;
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
