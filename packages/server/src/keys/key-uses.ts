import { repeat } from '../kernel/lib/repeat.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { isReadOnly } from '../kernel/postgres/sessions.ts';
import { updateApiKeyUse } from './rows.ts';

type Uses = ReadonlyMap<string, number>;

/** How often the use of one key is written. */
const everyMs = 60_000;
const flushMs = 5000;
/** As many keys as a process caches. Uses of further ones are written later. */
const maxKeys = 10_000;

/** Remembers when API keys were used, and writes it in the background: a call only sets an entry of a map. */
export class KeyUses {
  readonly #write: (uses: Uses) => Promise<void>;
  readonly #now: () => number;
  /** When the use of a key may be written again, oldest first. */
  readonly #quietUntil = new Map<string, number>();
  #pending = new Map<string, number>();

  constructor(write: (uses: Uses) => Promise<void>, now: () => number = Date.now) {
    this.#write = write;
    this.#now = now;
  }

  note(apiKey: string): void {
    const now = this.#now();
    if (now < (this.#quietUntil.get(apiKey) ?? 0)) return;
    if (this.#pending.size < maxKeys || this.#pending.has(apiKey)) this.#pending.set(apiKey, now);
  }

  /** Uses that cannot be written are forgotten: a call after the next minute notes the key again. */
  async flush(): Promise<void> {
    const uses = this.#pending;
    if (uses.size === 0) return;
    this.#pending = new Map();
    const now = this.#now();
    for (const [apiKey, untilMs] of this.#quietUntil) {
      if (untilMs > now && this.#quietUntil.size + uses.size <= maxKeys) break;
      this.#quietUntil.delete(apiKey);
    }
    for (const apiKey of uses.keys()) this.#quietUntil.set(apiKey, now + everyMs);
    await this.#write(uses);
  }

  /** Writes every few seconds until `stopping`. Returns what writes the rest. */
  start(stopping: AbortSignal, onError: (error: unknown) => void): () => Promise<void> {
    const done = repeat({ pauseMs: flushMs, stopping, onError }, async () => {
      await this.flush();
      return false;
    });
    return async () => {
      await done;
      await this.flush();
    };
  }
}

/** A standby accepts no writes. The api processes, which issue the tokens, note the use of a key at least once per hour. */
export async function writeKeyUses(db: Database, uses: Uses): Promise<void> {
  try {
    await updateApiKeyUse(db, uses);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}
