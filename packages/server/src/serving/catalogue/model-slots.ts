import type { LoadedModel } from '../../models/loaded-model.ts';
import type { CallBudget } from '../call-budget.ts';
import type { ItemTable } from './item-table.ts';

const absent = -1;
/** Pending changes per model; with more, looking everything up again is as cheap. */
const maxPending = 10_000;
/** Steps per lookup of an ID. */
const lookupSteps = 10;

/** The slots of a model's items: a look-up by number takes 5 ns, by ID 100. The caller passes the model: it may be evicted. */
export class ModelSlots {
  readonly #table: ItemTable;
  readonly #slots: Int32Array;
  /** Numbers below this were looked up once. */
  #lookedUp = 0;
  /** Current slots, by ID, of items that were added or removed since. */
  readonly #pending = new Map<string, number>();

  constructor(table: ItemTable, items: number) {
    this.#table = table;
    this.#slots = new Int32Array(items);
  }

  /** Call it when an item was added or removed. False if too much has changed to continue. */
  change(id: string): boolean {
    this.#pending.set(id, this.#table.slotOf(id) ?? absent);
    return this.#pending.size < maxPending;
  }

  /** Looks up what is missing. False if the budget ran out; the next call continues. */
  async update({ itemIds, itemNumbers }: Pick<LoadedModel, 'itemIds' | 'itemNumbers'>, budget: CallBudget) {
    const isDone = await budget.forEach(() => {
      if (this.#lookedUp === this.#slots.length) return false;
      budget.spend(lookupSteps);
      this.#slots[this.#lookedUp] = this.#table.slotOf(itemIds[this.#lookedUp] ?? '') ?? absent;
      this.#lookedUp++;
      return true;
    });
    for (const [id, slot] of this.#pending) {
      const number = itemNumbers.get(id);
      if (number !== undefined) this.#slots[number] = slot;
    }
    this.#pending.clear();
    return isDone;
  }

  /** Undefined if the item is not in the table. */
  slotOf(number: number): number | undefined {
    const slot = this.#slots[number];
    return slot === absent ? undefined : slot;
  }
}
