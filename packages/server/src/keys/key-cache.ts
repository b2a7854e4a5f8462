import { LRUCache } from 'lru-cache';
import { type BatchOptions, createBatcher } from '../kernel/lib/batches.ts';

/** How long a process caches an API key instead of a read per call, and how long a revoked key keeps working. */
export const keyCacheMs = 2000;

/** A process that is called with thousands of keys, or flooded with unknown ones, reads those that are due together. */
const batchOptions: BatchOptions = { maxInFlight: 2, maxSize: 500, maxWaiting: 10_000 };

export interface KeyCheckOptions {
  /** The memory for keys; `Authenticator` uses as much again for tokens. */
  readonly cacheBytes: number;
  /** Called with the API key of each call that is allowed. */
  readonly onUse: (apiKey: string) => void;
}

/** Rows of keys. Calls of a key share the read of it, so that reads do not pile up while PostgreSQL stalls. */
export class KeyCache<Row extends { readonly api_key: string }> {
  readonly #entries: LRUCache<string, { row: Row | undefined }>;

  /** `list` returns the rows of the keys that exist. */
  constructor(maxKeys: number, list: (apiKeys: string[]) => Promise<Row[]>) {
    const read = createBatcher(batchOptions, async (apiKeys: string[]) => {
      const rows = new Map((await list(apiKeys)).map((row) => [row.api_key, row]));
      return apiKeys.map((apiKey) => rows.get(apiKey));
    });
    this.#entries = new LRUCache({
      max: maxKeys,
      ttl: keyCacheMs,
      fetchMethod: async (apiKey) => ({ row: await read(apiKey) }),
      // A read that is evicted before it ends still answers its calls.
      ignoreFetchAbort: true,
    });
  }

  async find(apiKey: string): Promise<Row | undefined> {
    return (await this.#entries.fetch(apiKey))?.row;
  }
}
