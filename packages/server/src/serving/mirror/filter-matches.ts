import type { Filter } from '../filter/compile-filter.ts';
import type { ItemTable } from './item-table.ts';

/** Slots that a word holds a bit for. */
const wordBits = 32;

/**
 * Which items of a table match a filter, kept up with the table by evaluating what has changed only. The filter itself
 * is not kept, since its patterns may take megabytes: who asks brings it.
 */
export class FilterMatches {
  readonly #table: ItemTable;
  #words = new Uint32Array(0);
  /** All slots below were evaluated once. */
  #reached = 0;
  /** Those that have changed since. */
  readonly #changed = new Set<number>();
  #count = 0;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** An item has changed, come or gone. */
  change(slot: number): void {
    if (slot < this.#reached) this.#changed.add(slot);
  }

  get isComplete(): boolean {
    return this.#changed.size === 0 && this.#reached === this.#table.slots;
  }

  /** Evaluates for so long, or until nothing is left. Called again it goes on where it was. */
  evaluate(filter: Filter, limitMs: number): void {
    const end = performance.now() + limitMs;
    for (const slot of this.#changed) {
      this.#changed.delete(slot);
      this.#evaluateAt(slot, filter);
      if (performance.now() >= end) return;
    }
    if (this.#words.length * wordBits < this.#table.slots) this.#grow();
    while (this.#reached < this.#table.slots) {
      this.#evaluateAt(this.#reached++, filter);
      if (performance.now() >= end) return;
    }
  }

  /** How many match; this and the rest are exact once it is complete. */
  get count(): number {
    return this.#count;
  }

  has(id: string): boolean {
    const slot = this.#table.slotOf(id);
    return slot !== undefined && this.#isSet(slot);
  }

  ids(): string[] {
    const ids: string[] = [];
    for (const [index, word] of this.#words.entries()) {
      for (let left = word; left !== 0; left &= left - 1) {
        const id = this.#table.idAt(index * wordBits + wordBits - 1 - Math.clz32(left & -left));
        if (id !== undefined) ids.push(id);
      }
    }
    return ids;
  }

  #evaluateAt(slot: number, filter: Filter): void {
    const attributes = this.#table.attributesAt(slot);
    const matches = attributes !== undefined && filter.matches(attributes, this.#table.idAt(slot));
    if (matches === this.#isSet(slot)) return;
    this.#count += matches ? 1 : -1;
    const index = Math.floor(slot / wordBits);
    this.#words[index] = (this.#words[index] ?? 0) ^ (1 << (slot % wordBits));
  }

  #isSet(slot: number): boolean {
    return (((this.#words[Math.floor(slot / wordBits)] ?? 0) >>> (slot % wordBits)) & 1) === 1;
  }

  /** With room for as many again, so that one by one costs no more than all at once. */
  #grow(): void {
    const words = new Uint32Array(Math.ceil(this.#table.slots / wordBits) * 2);
    words.set(this.#words);
    this.#words = words;
  }
}
