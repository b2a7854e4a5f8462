import { LRUCache } from 'lru-cache';

interface AccountCacheOptions<Value> {
  /** Of all entries together, in the unit of `sizeOf`. */
  readonly maxSize: number;
  /** At least 1, and an integer. 1 by default, so that `maxSize` counts entries. */
  readonly sizeOf?: (value: Value, key: string) => number;
  /** The share of `maxSize` that one account may use. */
  readonly accountShare?: number;
}

interface Entry<Value> {
  readonly accountId: string;
  readonly value: Value;
  readonly size: number;
}

/** The entries of an account, least recently used first. */
interface Held {
  size: number;
  readonly keys: Set<string>;
}

/**
 * Evicts the least recently used entry, of all accounts. An account that has used up its share evicts its own entries instead, so that
 * one account never evicts all entries of the others.
 */
export class AccountCache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #sizeOf: (value: Value, key: string) => number;
  readonly #maxPerAccount: number;
  readonly #accounts = new Map<string, Held>();

  constructor({ maxSize, sizeOf = () => 1, accountShare = 0.5 }: AccountCacheOptions<Value>) {
    this.#sizeOf = sizeOf;
    this.#maxPerAccount = Math.max(1, Math.floor(maxSize * accountShare));
    this.#entries = new LRUCache({
      maxSize,
      sizeCalculation: ({ size }) => size,
      dispose: (entry, id) => this.#release(entry, id),
    });
  }

  get(accountId: string, key: string): Value | undefined {
    const id = `${accountId} ${key}`;
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    const held = this.#accounts.get(accountId);
    held?.keys.delete(id);
    held?.keys.add(id);
    return entry.value;
  }

  /** Does not keep a value that is larger than the account's share. */
  set(accountId: string, key: string, value: Value): void {
    const id = `${accountId} ${key}`;
    this.#entries.delete(id);
    const size = this.#sizeOf(value, key);
    if (size > this.#maxPerAccount) return;
    for (const oldest of this.#accounts.get(accountId)?.keys ?? []) {
      if (this.#sizeOfAccount(accountId) + size <= this.#maxPerAccount) break;
      this.#entries.delete(oldest);
    }
    // May evict the last entry of the account, so it is counted afterwards.
    this.#entries.set(id, { accountId, value, size });
    const held = this.#accounts.get(accountId) ?? { size: 0, keys: new Set() };
    held.size += size;
    held.keys.add(id);
    this.#accounts.set(accountId, held);
  }

  delete(accountId: string, key: string): void {
    this.#entries.delete(`${accountId} ${key}`);
  }

  #sizeOfAccount(accountId: string): number {
    return this.#accounts.get(accountId)?.size ?? 0;
  }

  #release({ accountId, size }: Entry<Value>, id: string): void {
    const held = this.#accounts.get(accountId);
    if (!held) return;
    held.keys.delete(id);
    held.size -= size;
    if (held.keys.size === 0) this.#accounts.delete(accountId);
  }
}
