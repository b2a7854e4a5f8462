import { LRUCache } from 'lru-cache';

interface FairCacheOptions<Value> {
  /** Of all entries together, in the unit of `sizeOf`. */
  readonly maxSize: number;
  /** At least 1, and an integer. 1 by default, so that `maxSize` counts entries. */
  readonly sizeOf?: (value: Value, key: string) => number;
}

interface Entry<Value> {
  readonly owner: string;
  readonly value: Value;
  readonly size: number;
}

/** The entries of an owner, least recently used first. */
interface Held {
  size: number;
  readonly keys: Set<string>;
}

/** Evicts the least recently used entry. An owner that has half of `maxSize` evicts its own entries instead of those of others. */
export class FairCache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #sizeOf: (value: Value, key: string) => number;
  readonly #maxPerOwner: number;
  readonly #owners = new Map<string, Held>();

  constructor({ maxSize, sizeOf = () => 1 }: FairCacheOptions<Value>) {
    this.#sizeOf = sizeOf;
    this.#maxPerOwner = Math.max(1, Math.floor(maxSize / 2));
    this.#entries = new LRUCache({
      maxSize,
      sizeCalculation: ({ size }) => size,
      dispose: (entry, id) => this.#release(entry, id),
    });
  }

  get(owner: string, key: string): Value | undefined {
    const id = `${owner} ${key}`;
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    const held = this.#owners.get(owner);
    held?.keys.delete(id);
    held?.keys.add(id);
    return entry.value;
  }

  /** Does not keep a value that is larger than the owner's share. */
  set(owner: string, key: string, value: Value): void {
    const id = `${owner} ${key}`;
    this.#entries.delete(id);
    const size = this.#sizeOf(value, key);
    if (size > this.#maxPerOwner) return;
    for (const oldest of this.#owners.get(owner)?.keys ?? []) {
      if (this.#sizeOfOwner(owner) + size <= this.#maxPerOwner) break;
      this.#entries.delete(oldest);
    }
    // May evict the last entry of the owner, so it is counted afterwards.
    this.#entries.set(id, { owner, value, size });
    const held = this.#owners.get(owner) ?? { size: 0, keys: new Set() };
    held.size += size;
    held.keys.add(id);
    this.#owners.set(owner, held);
  }

  delete(owner: string, key: string): void {
    this.#entries.delete(`${owner} ${key}`);
  }

  #sizeOfOwner(owner: string): number {
    return this.#owners.get(owner)?.size ?? 0;
  }

  #release({ owner, size }: Entry<Value>, id: string): void {
    const held = this.#owners.get(owner);
    if (!held) return;
    held.keys.delete(id);
    held.size -= size;
    if (held.keys.size === 0) this.#owners.delete(owner);
  }
}
