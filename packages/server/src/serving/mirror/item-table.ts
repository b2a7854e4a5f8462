import { Compactor } from './compactor.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Memory per item besides its attributes: the ID, entries in a Map and three arrays, and one bit per cached filter. */
const bytesPerItem = 130;

/** A dataset's items in memory. Each has a slot number until it is removed. */
export class ItemTable {
  readonly #slots = new Map<string, number>();
  readonly #ids: (string | undefined)[] = [];
  readonly #attributes: (Attributes | undefined)[] = [];
  readonly #sizes: number[] = [];
  readonly #free: number[] = [];
  readonly #compactor = new Compactor();
  #bytes = 0;

  /** Approximate memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more than the highest slot ever used. */
  get slots(): number {
    return this.#ids.length;
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** Undefined for an empty slot. */
  idAt(slot: number): string | undefined {
    return this.#ids[slot];
  }

  attributesAt(slot: number): Attributes | undefined {
    return this.#attributes[slot];
  }

  /** Adds or replaces an item and returns its slot. The table takes over the attributes object. */
  set(id: string, attributes: Record<string, unknown>): number {
    const slot = this.#slots.get(id) ?? this.#free.pop() ?? this.#ids.length;
    const bytes = bytesPerItem + id.length + this.#compactor.compact(attributes);
    this.#bytes += bytes - (this.#sizes[slot] ?? 0);
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#attributes[slot] = attributes;
    this.#sizes[slot] = bytes;
    return slot;
  }

  /** Removes an item and returns its former slot; undefined if it was not in the table. */
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
