import type { Filter } from '../../filters/compile-filter.ts';
import type { CallBudget } from '../call-budget.ts';
import type { ItemTable } from './item-table.ts';

/** Bits (slots) per word. */
const wordBits = 32;

/** After changes, only changed items are evaluated again. The caller passes the filter: its patterns may take megabytes. */
export class FilterMatches {
  readonly #table: ItemTable;
  #words = new Uint32Array(0);
  /** Slots below this were evaluated once. */
  #evaluatedSlots = 0;
  /** Slots that changed since, each once. */
  readonly #changed: number[] = [];
  readonly #isChanged = new Set<number>();
  #count = 0;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Call it when an item was changed, added or removed. */
  change(slot: number): void {
    if (slot >= this.#evaluatedSlots || this.#isChanged.has(slot)) return;
    this.#isChanged.add(slot);
    this.#changed.push(slot);
  }

  /** Evaluates what is left. False if the budget ran out; the next call continues. */
  async evaluate(filter: Filter, budget: CallBudget): Promise<boolean> {
    return budget.forEach(() => this.#evaluateNext(filter, budget));
  }

  /** The number of matches. This and the methods below are exact once everything is evaluated. */
  get count(): number {
    return this.#count;
  }

  has(id: string): boolean {
    const slot = this.#table.slotOf(id);
    return slot !== undefined && this.hasSlot(slot);
  }

  hasSlot(slot: number): boolean {
    return (((this.#words[Math.floor(slot / wordBits)] ?? 0) >>> (slot % wordBits)) & 1) === 1;
  }

  /** Lazy, since this may be a whole catalogue. */
  *ids(): Generator<string, void> {
    for (let index = 0; index < this.#words.length; index++) {
      for (let left = this.#words[index] ?? 0; left !== 0; left &= left - 1) {
        const id = this.#table.idAt(index * wordBits + wordBits - 1 - Math.clz32(left & -left));
        if (id !== undefined) yield id;
      }
    }
  }

  /** Evaluates one item; false if none is left. */
  #evaluateNext(filter: Filter, budget: CallBudget): boolean {
    const changed = this.#changed.pop();
    if (changed !== undefined) {
      this.#isChanged.delete(changed);
      this.#evaluateAt(changed, filter, budget);
      return true;
    }
    if (this.#evaluatedSlots === this.#table.slots) return false;
    if (this.#evaluatedSlots === this.#words.length * wordBits) this.#grow();
    this.#evaluateAt(this.#evaluatedSlots++, filter, budget);
    return true;
  }

  #evaluateAt(slot: number, filter: Filter, budget: CallBudget): void {
    const attributes = this.#table.attributesAt(slot);
    const matches = attributes !== undefined && filter.matches(attributes, this.#table.idAt(slot), budget);
    // An empty slot costs a step too.
    if (!attributes) budget.spend(1);
    if (matches === this.hasSlot(slot)) return;
    this.#count += matches ? 1 : -1;
    const index = Math.floor(slot / wordBits);
    this.#words[index] = (this.#words[index] ?? 0) ^ (1 << (slot % wordBits));
  }

  /** Doubles the capacity, so that growing one by one is linear in total. */
  #grow(): void {
    const words = new Uint32Array(Math.ceil((this.#table.slots + 1) / wordBits) * 2);
    words.set(this.#words);
    this.#words = words;
  }
}
