import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { moveLockKey, moveSessionName } from './account-moves.ts';
import { type Queryable, run } from './pool.ts';

const settings = {
  application_name: moveSessionName,
  statement_timeout: '0',
  lock_timeout: '15s',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  jit: 'off',
  // If this process or its network dies, the session must end, with its lock, before somebody repeats the command.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  client_connection_check_interval: '10s',
};

/** A connection for one long transaction, without a time limit. */
export async function openCopySession(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // The statement in flight fails; without a listener, the process would end.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Not as options of the connection, which those of the URL would override.
    for (const [name, value] of Object.entries(settings))
      await client.query('SELECT set_config($1, $2, false)', [name, value]);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Runs statements in the transaction of a session. */
export const inSession = (client: pg.Client): Queryable => ({
  rows: (statement, values) => run(client, statement, values),
});

/**
 * Begins the transaction that gets the copy. False if another command has the move. The lock is a session-level one: an error would
 * release a transaction-level one.
 */
export async function beginCopy(target: pg.Client, accountId: string): Promise<boolean> {
  const lock = `SELECT pg_try_advisory_lock(${moveLockKey(accountId)}) AS taken`;
  const { rows } = await target.query<{ taken: boolean }>(lock);
  if (!rows[0]?.taken) return false;
  await target.query('BEGIN');
  return true;
}

/** Begins a transaction that reads rows as of now, after the one before it. */
export async function beginReading(source: pg.Client): Promise<void> {
  await source.query('COMMIT');
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await source.query('SELECT');
}

/** Streams the rows of `select` to the table `into`. Returns their number. */
export async function transferRows(
  source: pg.Client,
  target: pg.Client,
  select: string,
  into: string,
): Promise<number> {
  const writing = target.query(copyFrom(`COPY ${into} FROM STDIN`));
  await pipeline(source.query(copyTo(`COPY (${select}) TO STDOUT`)), writing);
  return writing.rowCount;
}

/** The columns of a table: the same in both databases, since these have the same migrations. */
export async function listColumns(source: pg.Client, target: pg.Client, table: string): Promise<string[]> {
  const statement = `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`;
  const [here, there] = await Promise.all(
    [source, target].map(async (client) => {
      const { rows } = await client.query<{ name: string }>(statement, [table]);
      return rows.map(({ name }) => name);
    }),
  );
  if (here?.join() !== there?.join()) throw new Error(`the table ${table} differs between the cells`);
  return here ?? [];
}

export const quote = (column: string) => `"${column}"`;

/** Assigns new numbers to those of the source that have none yet, in the same order. `olds` is SQL of a query for a column `old`. */
export async function reserveKeys(
  target: pg.Client,
  table: string,
  key: string,
  olds: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await target.query(
    `CREATE TEMP TABLE IF NOT EXISTS keys_${table} (old bigint PRIMARY KEY, new bigint NOT NULL) ON COMMIT DROP`,
  );
  await target.query(
    `INSERT INTO keys_${table} SELECT s.old, nextval(pg_get_serial_sequence('${table}', '${key}')) FROM (
        SELECT old FROM (${olds}) o WHERE NOT EXISTS (SELECT FROM keys_${table} k WHERE k.old = o.old) ORDER BY old) s`,
    [...values],
  );
}
