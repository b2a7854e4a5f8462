import pg from 'pg';

/** A prepared statement takes 0.1 to 0.2 MB of its backend. A process that reads few partitions uses some tens of them. */
const maxStatements = 100;

/** The database cannot accept a write now, or cannot confirm that it is durable. A retry may succeed. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

/** The server is read-only. */
class ReadOnlySessionError extends SessionError {}

const readOnlyTransaction = '25006';

/** Whether an operation failed because the server is read-only. */
export function isReadOnly(error: unknown): boolean {
  return (
    error instanceof ReadOnlySessionError ||
    (error instanceof pg.DatabaseError && error.code === readOnlyTransaction)
  );
}

/** Not a standby, and not made read-only for a switchover: the same as libpq's target_session_attrs=read-write. */
const isWritable = `SELECT NOT pg_is_in_recovery() AND NOT current_setting('default_transaction_read_only')::bool AS writable`;

interface SessionHandle {
  readonly client: pg.PoolClient;
  /** Closes the connection after use. */
  readonly discard: (error: Error) => void;
}

/** How often a process that reads from a read-only server checks whether its address leads to another server. */
const reconnectEveryMs = 5000;

/**
 * The pools of one process with the same address. Some only read, and would stay connected to a former primary: when
 * one pool finds that its server is read-only, all reconnect.
 */
export class SessionGroup {
  readonly #members = new Set<Sessions>();
  #reconnectedAt = Number.NEGATIVE_INFINITY;

  add(member: Sessions): void {
    this.#members.add(member);
  }

  reconnect(acceptsReadOnly: boolean): void {
    const now = performance.now();
    if (acceptsReadOnly && now - this.#reconnectedAt < reconnectEveryMs) return;
    this.#reconnectedAt = now;
    for (const member of this.#members) member.reconnect();
  }
}

/**
 * Connections to a writable PostgreSQL. When the server stops accepting writes, all are closed and opened again: the
 * address may lead to another server by now, and reads from the old one would be stale.
 */
export class Sessions {
  readonly #options: pg.PoolConfig;
  readonly #onIdleError: (error: Error) => void;
  readonly #acceptsReadOnly: boolean;
  readonly #group: SessionGroup;
  readonly #checked = new WeakSet<pg.PoolClient>();
  readonly #ending = new Set<Promise<void>>();
  #pool: pg.Pool;

  /** With `acceptsReadOnly`, a read-only server is accepted too. */
  constructor(
    options: pg.PoolConfig,
    onIdleError: (error: Error) => void,
    acceptsReadOnly: boolean,
    group: SessionGroup,
  ) {
    this.#options = options;
    this.#onIdleError = onIdleError;
    this.#acceptsReadOnly = acceptsReadOnly;
    this.#group = group;
    this.#pool = this.#open();
    group.add(this);
  }

  /** Runs `work` on an exclusive connection. Throws SessionError if a COMMIT did not wait for the standby: the write may be lost. */
  async use<T>(work: (use: SessionHandle) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const client = await pool.connect();
    let broken: Error | undefined;
    const unconfirmed: object[] = [];
    const discard = (error: Error) => {
      broken = error;
    };
    // A COMMIT whose wait was canceled, for example by statement_timeout, is reported as successful, with a warning.
    const onNotice = (notice: { routine?: string | undefined }) => {
      if (notice.routine === 'SyncRepWaitForLSN') unconfirmed.push(notice);
    };
    // The pool listens only while a connection is idle: without this listener, one that breaks in use would end the process.
    client.on('error', discard);
    client.on('notice', onNotice);
    try {
      if (!this.#acceptsReadOnly && !this.#checked.has(client)) await this.#check(client);
      const result = await work({ client, discard });
      if (unconfirmed.length > 0) throw new SessionError('the standby did not confirm the write');
      return result;
    } catch (error) {
      // The check failed, or a COMMIT was not confirmed.
      if (error instanceof SessionError) discard(error);
      if (error instanceof pg.DatabaseError && error.code === readOnlyTransaction) {
        discard(error);
        if (pool === this.#pool) this.#group.reconnect(this.#acceptsReadOnly);
      }
      throw error;
    } finally {
      client.off('error', discard);
      client.off('notice', onNotice);
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#ending, this.#pool.end()]);
  }

  #open(): pg.Pool {
    const pool = new pg.Pool(this.#options);
    // The pool replaces a connection that breaks while idle; without a listener it would end the process.
    pool.on('error', this.#onIdleError);
    pool.on('connect', (client) => limitStatements(client, maxStatements));
    return pool;
  }

  async #check(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ writable: boolean }>(isWritable);
    if (!rows[0]?.writable)
      throw new ReadOnlySessionError('the database is read-only: a standby, or configured so');
    this.#checked.add(client);
  }

  /** Opens a new pool. Connections of the old one close as they become idle. */
  reconnect(): void {
    const pool = this.#pool;
    this.#pool = this.#open();
    const ending = pool.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

/** Internals of the driver's connection. Not in its types; `prepared-statements.test.ts` fails if they change. */
interface Connection {
  /** The statements prepared on the server, by name. */
  readonly parsedStatements: Record<string, string>;
  parse(query: { readonly name?: string }): void;
  bind(query: { readonly statement?: string }): void;
  close(target: { readonly type: 'S'; readonly name: string }): void;
}

/**
 * Keeps at most `max` statements prepared on a connection. Closes the least recently used one in the message that
 * prepares the next, so it costs no round trip. Statements are named by the tables they read: a process that reads
 * all partitions would prepare more than a thousand, which take 200 MB per backend.
 */
function limitStatements(client: pg.ClientBase, max: number): void {
  const { connection } = client as unknown as { connection: Connection };
  /** Least recently used first. */
  const prepared = new Set<string>();
  const parse = connection.parse.bind(connection);
  const bind = connection.bind.bind(connection);
  connection.parse = (query) => {
    if (query.name) {
      for (const name of prepared) {
        if (prepared.size < max) break;
        prepared.delete(name);
        Reflect.deleteProperty(connection.parsedStatements, name);
        connection.close({ type: 'S', name });
      }
    }
    parse(query);
  };
  connection.bind = (query) => {
    if (query.statement) {
      prepared.delete(query.statement);
      prepared.add(query.statement);
    }
    bind(query);
  };
}
