import { type Texts, TextsBuilder } from '../data/texts.ts';
import { copyInto } from '../lib/arrays.ts';

/**
 * Numbers the texts of several groups in the order of first occurrence. Takes each text's bytes plus 16, outside the
 * JavaScript heap. A Map of strings would need ten times that and is limited to 16.7 million entries.
 */
export class TextTable {
  readonly #texts = new TextsBuilder();
  #group = new Uint32Array(1024);
  /** Open addressing: each slot holds a number plus 1, or 0. At most half of the slots are used. */
  #slots = new Uint32Array(2048);
  /** Random, so that nobody can choose texts that all collide. The numbers do not depend on it. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  /** The number of the text in its group; assigns a new one at its first occurrence. */
  number(group: number, text: string): number {
    const number = this.#texts.count;
    this.#texts.push(text);
    const { slot, found } = this.#find(group, number);
    if (found !== undefined) {
      this.#texts.pop();
      return found;
    }
    this.#slots[slot] = number + 1;
    if (number === this.#group.length) this.#group = copyInto(new Uint32Array(number * 2), this.#group);
    this.#group[number] = group;
    if (this.#texts.count * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  /** By number: the texts, and the group of each. */
  build(): { readonly texts: Texts; readonly group: Uint32Array } {
    return { texts: this.#texts.build(), group: this.#group.subarray(0, this.#texts.count) };
  }

  #find(group: number, number: number): { slot: number; found: number | undefined } {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(group, number) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const other = this.#slots[slot]! - 1;
      if (this.#group[other] === group && this.#areEqual(other, number)) return { slot, found: other };
    }
    return { slot, found: undefined };
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#texts.count; number++) {
      let slot = this.#hash(this.#group[number]!, number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }

  /** FNV-1a with a seed, finished with MurmurHash3's mixer because only the low bits are used. */
  #hash(group: number, number: number): number {
    const { bytes } = this.#texts;
    const end = this.#texts.endOf(number);
    let state = this.#seed ^ Math.imul(group, 0x9e3779b1);
    for (let place = this.#texts.endOf(number - 1); place < end; place++)
      state = Math.imul(state ^ bytes[place]!, 0x01000193);
    state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    return (state ^ (state >>> 16)) >>> 0;
  }

  #areEqual(one: number, other: number): boolean {
    const { bytes } = this.#texts;
    const from = this.#texts.endOf(one - 1);
    const otherFrom = this.#texts.endOf(other - 1);
    const length = this.#texts.endOf(one) - from;
    if (this.#texts.endOf(other) - otherFrom !== length) return false;
    for (let place = 0; place < length; place++)
      if (bytes[from + place] !== bytes[otherFrom + place]) return false;
    return true;
  }
}
