import { Compactor } from './compactor.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Beside its attributes: its id, a place in a Map and in three arrays, and a bit for each filter that is kept. */
const bytesAnItem = 130;

/** A dataset's items in memory, each in a slot: a number that is the item's own until it is removed. */
export class ItemTable {
  readonly #slots = new Map<string, number>();
  readonly #ids: (string | undefined)[] = [];
  readonly #attributes: (Attributes | undefined)[] = [];
  readonly #sizes: number[] = [];
  readonly #free: number[] = [];
  readonly #compactor = new Compactor();
  #bytes = 0;

  /** Memory it takes, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more than the highest that was ever used. */
  get slots(): number {
    return this.#ids.length;
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** Undefined where no item is now. */
  idAt(slot: number): string | undefined {
    return this.#ids[slot];
  }

  attributesAt(slot: number): Attributes | undefined {
    return this.#attributes[slot];
  }

  /** The slot of an item that was not there, or is changed. The attributes become the table's own. */
  set(id: string, attributes: Record<string, unknown>): number {
    const slot = this.#slots.get(id) ?? this.#free.pop() ?? this.#ids.length;
    const bytes = bytesAnItem + id.length + this.#compactor.compact(attributes);
    this.#bytes += bytes - (this.#sizes[slot] ?? 0);
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#attributes[slot] = attributes;
    this.#sizes[slot] = bytes;
    return slot;
  }

  /** The slot that is free now; undefined when the item was not there. */
  remove(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    this.#slots.delete(id);
    this.#ids[slot] = undefined;
    this.#attributes[slot] = undefined;
    this.#bytes -= this.#sizes[slot] ?? 0;
    this.#sizes[slot] = 0;
    this.#free.push(slot);
    return slot;
  }
}
