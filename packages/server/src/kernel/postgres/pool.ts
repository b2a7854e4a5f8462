import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { parseJson } from '../lib/json.ts';
import { isReadOnly, SessionError, SessionGroup, Sessions } from './sessions.ts';

/** A prepared statement, parsed once per connection. Each name must belong to one text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  /** The rows, typed as the caller declares. */
  rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  /** Runs `work` in a transaction, again after a deadlock or serialization failure: it must have no other side effects. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Transaction extends Queryable {
  /** Takes an advisory lock until the transaction ends. Later statements see what previous holders committed. */
  lock(key: bigint, mode: 'shared' | 'exclusive'): Promise<void>;
}

const deadlockDetected = '40P01';
const serializationFailure = '40001';
/** Locks are taken in one order, so conflicts are rare; tests never needed five attempts. */
const maxAttempts = 5;

/**
 * - statement_timeout: every statement is bounded in rows; one that takes 30 s is broken, not busy.
 * - lock_timeout, idle_in_transaction_session_timeout: no transaction waits, or makes others wait, without a limit.
 * - enable_seqscan off: tables grow from empty to 100 million rows under cached plans, so a plan made for ten pages
 *   must already be the right one. Every statement has its index.
 * - jit off: compiling costs more than any of these statements.
 */
const sessionSettings = [
  'statement_timeout=30000',
  'lock_timeout=15000',
  'idle_in_transaction_session_timeout=30000',
  'enable_seqscan=off',
  'jit=off',
];

/** Longer than statement_timeout, whose error is more precise. */
const readTimeoutMs = 35_000;
const readTimeoutMessage = 'Query read timeout';

// The keys in JSON values are chosen by developers, so V8's bug applies (see kernel/lib/json.ts).
pg.types.setTypeParser(pg.types.builtins.JSONB, parseJson);
pg.types.setTypeParser(pg.types.builtins.JSON, parseJson);

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly onIdleError: (error: Error) => void;
  /** Also accept a read-only server, for callers that only read. */
  readonly acceptsReadOnly?: boolean;
  /**
   * Plan each statement once per connection. For short reads, which take a fraction of the time of planning: PostgreSQL would
   * often plan again, because it assumes that a generic plan reads ten elements of an array, where there are one or two.
   */
  readonly plansOnce?: boolean;
  /** Other pools of this process with the same address. */
  readonly group?: SessionGroup;
  /** How long to wait for a connection, and for an answer, where less than usual shows that the server is gone. */
  readonly answerMs?: number;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, onIdleError, answerMs } = options;
  const { acceptsReadOnly = false, plansOnce = false, group = new SessionGroup() } = options;
  const settings = {
    connectionString: url,
    max: poolSize,
    // Longer than any healthy queue; after that the caller gets an error instead of waiting on.
    connectionTimeoutMillis: answerMs ?? 5000,
    // PostgreSQL enforces statement_timeout. If the host is gone or a firewall dropped the connection, there is no
    // response at all and TCP would hold the connection for 15 minutes; this timeout makes the pool drop it.
    query_timeout: answerMs ?? readTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A virtual IP that moved answers the first probe with a reset; a dead host is noticed after ten, one per second.
    keepAliveInitialDelayMillis: 2000,
    application_name: 'tastegraph',
    options: [...sessionSettings, ...(plansOnce ? ['plan_cache_mode=force_generic_plan'] : [])]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  };
  const sessions = new Sessions(settings, onIdleError, acceptsReadOnly, group);

  return {
    async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      return sessions.use(async ({ client, discard }) => {
        try {
          return await run<Row>(client, statement, values);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) discard(error as Error);
          throw error;
        }
      });
    },

    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transactOnce(sessions, work);
        } catch (error) {
          const code = error instanceof pg.DatabaseError ? error.code : undefined;
          if (attempt === maxAttempts || (code !== deadlockDetected && code !== serializationFailure))
            throw error;
          await sleep(Math.random() * 20 * 2 ** attempt);
        }
      }
    },

    async close(): Promise<void> {
      await sessions.close();
    },
  };
}

function transactOnce<T>(sessions: Sessions, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return sessions.use(async ({ client, discard }) => {
    try {
      const tx = new OpenTransaction(client);
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      try {
        // A rollback would time out too.
        if (isReadTimeout(error)) discard(error as Error);
        else await client.query('ROLLBACK');
      } catch (rollbackError) {
        // Close a connection that cannot roll back.
        discard(rollbackError as Error);
      }
      throw error;
    }
  });
}

/** If a lock comes first, sends BEGIN with it to save a round trip. */
class OpenTransaction implements Transaction {
  readonly #client: pg.ClientBase;
  #begun = false;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#begun) await this.#client.query('BEGIN');
    this.#begun = true;
    return run(this.#client, statement, values);
  }

  async lock(key: bigint, mode: 'shared' | 'exclusive'): Promise<void> {
    const take = `SELECT pg_advisory_xact_lock${mode === 'shared' ? '_shared' : ''}(${key})`;
    await this.#client.query(this.#begun ? take : `BEGIN; ${take}`);
    this.#begun = true;
  }

  async commit(): Promise<void> {
    if (!this.#begun) return;
    // COMMIT of a failed transaction returns ROLLBACK and no error.
    const { command } = await this.#client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }
}

/** Runs a statement on one connection. */
async function run<Row>(
  on: pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await on.query({ name, text, values: values as unknown[] });
  return rows as Row[];
}

/** SQLSTATE classes and codes of transient errors, which may be retried. */
const unavailableStates = /^(08|53|57P|58)|^(55P03|57014|25006|40P01|40001)$/;
const unavailableSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Whether the database was unreachable, shutting down, out of resources or overloaded. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SessionError) return true;
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '');
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && unavailableSystemErrors.has(code)) return true;
  // pg sets no code for these.
  return (
    isReadTimeout(error) ||
    /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  );
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === readTimeoutMessage;
}

/** Whether a row refers to a missing one, or a row that others refer to was to be deleted. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** What a new row refers to although it is gone: `parent` for the column `parent_key`. Undefined for any other error. */
export function missingReference(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || !isForeignKeyViolation(error)) return undefined;
  const { table = '', constraint = '' } = error;
  const [, column = 'row'] = /^(\w+)_(?:key|id)_fkey$/.exec(constraint.slice(table.length + 1)) ?? [];
  return column.replaceAll('_', ' ');
}

/** A statement exceeded its time, or had none left. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';
}

const queryCanceled = '57014';
const lockNotAvailable = '55P03';

/** Runs each statement in its own transaction, which PostgreSQL cancels after the remaining time. */
export function cancelAfter(db: Database, msLeft: () => number): Queryable {
  return {
    async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      const ms = Math.floor(msLeft());
      if (ms <= 0) throw new StatementTimeout('no time is left');
      try {
        return await db.transaction(async (tx) => {
          await tx.rows({ name: '', text: `SET LOCAL statement_timeout = ${ms}` }, []);
          return tx.rows<Row>(statement, values);
        });
      } catch (error) {
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code !== queryCanceled && code !== lockNotAvailable) throw error;
        throw new StatementTimeout(`canceled after ${ms} ms`, { cause: error });
      }
    },
  };
}

/** Writable, read-only (a standby, or configured so), or not responding. */
export type DatabaseState = 'writable' | 'read-only' | 'unreachable';

/** Locks no row, but fails on a read-only server, where FOR UPDATE is not allowed. */
const pingStatement: Statement = { name: 'ping', text: 'SELECT FROM secrets WHERE false FOR UPDATE' };

export async function findDatabaseState(db: Queryable): Promise<DatabaseState> {
  try {
    await db.rows(pingStatement, []);
    return 'writable';
  } catch (error) {
    return isReadOnly(error) ? 'read-only' : 'unreachable';
  }
}
