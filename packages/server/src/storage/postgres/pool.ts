import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { parseJson } from '../../lib/json.ts';

/** A statement that PostgreSQL parses once a connection. The name must be the text's alone. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  /** The rows, as the statement's author declares them. */
  rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  /**
   * All or nothing. Runs `work` again, from the start, when PostgreSQL ended it to break a deadlock or a
   * conflict: so `work` must have no effect but through its transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Transaction extends Queryable {
  /** Waits for an advisory lock that ends with the transaction. Statements after it see what its holders committed. */
  lock(key: bigint, mode: 'shared' | 'exclusive'): Promise<void>;
}

const deadlockDetected = '40P01';
const serializationFailure = '40001';
/** Locks are taken in one order, so a first conflict is rare and a second one rarer; five never came up in tests. */
const attempts = 5;

/**
 * Session settings, each for a reason:
 * - statement_timeout: every statement here is bounded in rows; one that takes 30 s is ill, not busy.
 * - lock_timeout, idle_in_transaction_session_timeout: nobody waits on us, or we on them, without end.
 * - enable_seqscan off: tables grow from empty to 100 million rows under cached plans; a plan made when a table
 *   was ten pages must already be the one that is right later. Every statement has its index.
 * - jit off: compiling costs more than any of these statements.
 */
const sessionSettings = [
  'statement_timeout=30000',
  'lock_timeout=15000',
  'idle_in_transaction_session_timeout=30000',
  'enable_seqscan=off',
  'jit=off',
];

/** Longer than statement_timeout, whose answer is the better one. */
const silentMs = 35_000;
const silence = 'Query read timeout';

// Developers' own keys are in it.
pg.types.setTypeParser(pg.types.builtins.JSONB, parseJson);
pg.types.setTypeParser(pg.types.builtins.JSON, parseJson);

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly onIdleError: (error: Error) => void;
}

export function openDatabase({ url, poolSize, onIdleError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    // Longer than any healthy queue; past it the caller is told to come back instead of waiting on.
    connectionTimeoutMillis: 5000,
    // statement_timeout is kept by PostgreSQL. Who does not answer at all, as a host that is gone or a firewall that has forgotten the
    // connection, would hold it until TCP gives up, which takes a quarter of an hour; the pool drops it.
    query_timeout: silentMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'tastegraph',
    options: sessionSettings.map((setting) => `-c ${setting}`).join(' '),
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', onIdleError);

  return {
    async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      return run(pool, statement, values);
    },

    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transactOnce(pool, work);
        } catch (error) {
          const code = error instanceof pg.DatabaseError ? error.code : undefined;
          if (attempt === attempts || (code !== deadlockDetected && code !== serializationFailure))
            throw error;
          await sleep(Math.random() * 20 * 2 ** attempt);
        }
      }
    },

    async close(): Promise<void> {
      await pool.end();
    },
  };
}

async function transactOnce<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // The pool listens while a connection is idle only. One that breaks in use fails its statement, and also says
  // so here: without a listener that would end the process.
  const onBreak = (error: Error) => {
    broken = error;
  };
  client.on('error', onBreak);
  try {
    const tx = new OpenTransaction(client);
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    try {
      // Who is silent would be so again.
      if (isSilence(error)) broken = error as Error;
      else await client.query('ROLLBACK');
    } catch (rollbackError) {
      broken = rollbackError as Error;
    }
    throw error;
  } finally {
    client.off('error', onBreak);
    // A connection that could not even roll back is closed, not reused.
    client.release(broken);
  }
}

/** BEGIN goes out with the first lock, if that comes first, to save a round trip. */
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
    // PostgreSQL answers the COMMIT of a transaction that has failed with a ROLLBACK, and no error.
    const { command } = await this.#client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  }
}

async function run<Row>(
  on: pg.Pool | pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await on.query({ name, text, values: values as unknown[] });
  return rows as Row[];
}

/** SQLSTATE classes and codes that mean: not now. What was asked may be asked again. */
const unavailableStates = /^(08|53|57P|58)|^(55P03|57014|25006|40P01|40001)$/;
const unavailableSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Whether the database could not be reached, was shutting down, out of room or too busy. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '');
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && unavailableSystemErrors.has(code)) return true;
  // pg gives these no code.
  return (
    isSilence(error) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  );
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === silence;
}

/** Whether a row was to refer to one that is gone, or one was to go that others refer to. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

const pingStatement: Statement = { name: 'ping', text: 'SELECT 1' };

/** Whether the database answers. */
export async function pingDatabase(db: Queryable): Promise<boolean> {
  try {
    await db.rows(pingStatement, []);
    return true;
  } catch {
    return false;
  }
}
