import { LRUCache } from 'lru-cache';
import type { Queryable, Transaction } from '../kernel/postgres/pool.ts';
import { keyCacheMs } from '../keys/key-cache.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import {
  deleteSession,
  deleteSessionsOf,
  insertSession,
  listSession,
  purgeSessions as purgeRows,
  type SessionRow,
  type StartedBy,
  trimSessions,
  updateSessionUse,
} from './rows/sessions.ts';
import { hashToken, type SessionTokens } from './session-tokens.ts';

interface SessionOptions {
  /** A session ends when it was not used for this long. */
  readonly idleMs: number;
  /** A session ends this long after the sign-in. */
  readonly maxMs: number;
  /** Writes that a session was used. False for a process that only reads. */
  readonly writesUse: boolean;
  /** For tests. */
  readonly now?: () => number;
}

export interface Session {
  readonly token: string;
  /** Whom it opens, each in their own account. */
  readonly people: readonly [SessionRow, ...SessionRow[]];
  readonly csrfToken: string;
  readonly expiresMs: number;
}

/** How often the use of a session is written, which costs a write. */
const useEveryMs = 60_000;

/** Only a hash of a token is stored. Sessions are cached as long as API keys: one that another process ended may work 2 s more. */
export class Sessions {
  readonly tokens: SessionTokens;
  readonly #db: Queryable;
  readonly #readDb: Queryable;
  readonly #options: Required<SessionOptions>;
  /** By token. Calls of a session share the read of it. */
  readonly #cache: LRUCache<string, { people: readonly SessionRow[] }>;

  /** Reads from `readDb`, which may be a replica. */
  constructor(db: Queryable, tokens: SessionTokens, options: SessionOptions, readDb = db) {
    this.#db = db;
    this.#readDb = readDb;
    this.tokens = tokens;
    this.#options = { now: Date.now, ...options };
    this.#cache = new LRUCache({
      max: 10_000,
      ttl: keyCacheMs,
      fetchMethod: async (token) => ({ people: await this.#read(token) }),
      ignoreFetchAbort: true,
    });
  }

  /** Undefined if there is no such session, or it has expired. */
  async find(token: string | undefined): Promise<Session | undefined> {
    if (token === undefined || !this.tokens.isGenuine(token)) return undefined;
    const { people: [first, ...others] = [] } = (await this.#cache.fetch(token)) ?? {};
    if (!first) return undefined;
    const { idleMs, maxMs, now } = this.#options;
    const expiresMs = Math.min(first.created_ms + maxMs, first.last_used_ms + idleMs);
    if (now() >= expiresMs) return undefined;
    return { token, people: [first, ...others], csrfToken: this.tokens.csrfTokenOf(token), expiresMs };
  }

  /** Starts a session with a new token. `tx` has locked the people, and their credential was still right. */
  async start(tx: Transaction, personIds: readonly string[], startedBy: StartedBy): Promise<string> {
    const token = this.tokens.create();
    await insertSession(tx, hashToken(token), personIds, startedBy, this.#options.now());
    await trimSessions(tx, personIds);
    return token;
  }

  async end(token: string): Promise<void> {
    if (!this.tokens.isGenuine(token)) return;
    await deleteSession(this.#db, hashToken(token));
    this.forgetAll();
  }

  async endAllOf(personIds: readonly string[]): Promise<void> {
    await deleteSessionsOf(this.#db, personIds);
    this.forgetAll();
  }

  /** So that a change of a session or a role applies to the next call in this process. */
  forgetAll(): void {
    this.#cache.clear();
  }

  async #read(token: string): Promise<readonly SessionRow[]> {
    const people = await listSession(this.#readDb, hashToken(token));
    const nowMs = this.#options.now();
    const lastUsedMs = people[0]?.last_used_ms ?? Number.NEGATIVE_INFINITY;
    if (nowMs >= lastUsedMs + this.#options.idleMs) return people;
    const everyMs = Math.min(useEveryMs, this.#options.idleMs / 10);
    if (!this.#options.writesUse || nowMs - lastUsedMs < everyMs) return people;
    await updateSessionUse(this.#db, hashToken(token), nowMs);
    return people.map((person) => ({ ...person, last_used_ms: nowMs }));
  }
}

const rowsPerStep = 500;

/** Removes sessions that were not used for too long, and expired links. Both are refused before. */
export function purgeSessions({ db, config }: Pick<Services, 'db' | 'config'>): TaskStep {
  return async () => (await purgeRows(db, Date.now() - config.console.idleMs, rowsPerStep)) === rowsPerStep;
}
