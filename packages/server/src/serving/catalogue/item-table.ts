import type { ItemRecord } from '../item-record.ts';
import { Compactor } from './compactor.ts';

type Attributes = Record<string, unknown>;

/** Memory per item besides its attributes: the ID, entries in a Map and four arrays, and one bit per cached filter. */
const bytesPerItem = 138;

/** A dataset's items in memory. Each has a slot number until it is removed. */
export class ItemTable {
  readonly #slots = new Map<string, number>();
  readonly #ids: (string | undefined)[] = [];
  readonly #attributes: (Attributes | undefined)[] = [];
  readonly #sizes: number[] = [];
  /** Of the JSON. */
  readonly #lengths: number[] = [];
  readonly #free: number[] = [];
  readonly #compactor: Compactor;
  #bytes = 0;
  #version = 0;

  /** `vectors` are the names of attributes that are vectors. */
  constructor(vectors: readonly string[] = []) {
    this.#compactor = new Compactor(vectors);
  }

  /** Approximate memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Changes whenever a slot gets another item, or none. */
  get version(): number {
    return this.#version;
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

  /** Undefined for an empty slot. */
  recordAt(slot: number): ItemRecord | undefined {
    const attributes = this.#attributes[slot];
    if (!attributes) return undefined;
    return { attributes, length: this.#lengths[slot] ?? 0, isRead: true };
  }

  /** Adds or replaces an item and returns its slot. The table takes over the attributes object. */
  set(id: string, attributes: Record<string, unknown>, jsonLength: number): number {
    const slot = this.#slots.get(id) ?? this.#free.pop() ?? this.#ids.length;
    const bytes = bytesPerItem + id.length + this.#compactor.compact(attributes);
    this.#bytes += bytes - (this.#sizes[slot] ?? 0);
    if (this.#ids[slot] !== id) this.#version++;
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#attributes[slot] = attributes;
    this.#sizes[slot] = bytes;
    this.#lengths[slot] = jsonLength;
    return slot;
  }

  /** Removes an item and returns its former slot; undefined if it was not in the table. */
  remove(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    this.#version++;
    this.#slots.delete(id);
    this.#ids[slot] = undefined;
    this.#attributes[slot] = undefined;
    this.#bytes -= this.#sizes[slot] ?? 0;
    this.#sizes[slot] = 0;
    this.#free.push(slot);
    return slot;
  }
}
