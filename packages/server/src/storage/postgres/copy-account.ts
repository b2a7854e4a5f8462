import { pipeline } from 'node:stream/promises';
import type { DatasetKind } from '@tastegraph/contract';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { moveLockKey } from './account-moves.ts';
import { partitionTable } from './datasets.ts';
import { type MovedTable, movedTables, recordTables } from './moved-tables.ts';
import { type Queryable, run } from './pool.ts';

/** IDs are part of COPY statements, which take no parameters. */
const idForm = /^[a-z]+_[0-9a-z]+$/;

/** A connection for one long transaction, with no limits of time. */
export async function openCopySession(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tastegraph move-account',
    options: '-c statement_timeout=0 -c lock_timeout=15000 -c idle_in_transaction_session_timeout=0',
    keepAlive: true,
  });
  // The statement in flight fails; without a listener, the process would end.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs statements in the transaction of a session. */
export const inSession = (client: pg.Client): Queryable => ({
  rows: (statement, values) => run(client, statement, values),
});

/** Begins the transaction that gets the copy. False if another command has the move. */
export async function beginCopy(target: pg.Client, accountId: string): Promise<boolean> {
  await target.query('BEGIN');
  const lock = `SELECT pg_try_advisory_xact_lock(${moveLockKey(accountId)}) AS taken`;
  const { rows } = await target.query<{ taken: boolean }>(lock);
  return rows[0]?.taken ?? false;
}

/** Begins the transaction that all rows are read in, as of now. */
export async function beginReading(source: pg.Client): Promise<void> {
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await source.query('SELECT');
}

export interface CopiedAccount {
  readonly tables: Readonly<Record<string, number>>;
  readonly records: number;
  /** Emails of people who belong to the account, but not in the target: somebody else has their email there. */
  readonly unmovedPeople: readonly string[];
}

/**
 * Copies all rows of an account to another database, within the transactions of both sessions. IDs and keys stay the same; numbers are
 * those that the target assigns.
 */
export async function copyAccount(
  source: pg.Client,
  target: pg.Client,
  accountId: string,
  onProgress: (text: string) => void,
): Promise<CopiedAccount> {
  if (!idForm.test(accountId)) throw new Error('the ID of the account is malformed');
  // What an earlier copy left when it was deleted here: new keys would be refused.
  await target.query('DELETE FROM account_deletions WHERE account_id = $1 AND finished_at IS NOT NULL', [
    accountId,
  ]);
  const tables: Record<string, number> = {};
  for (const table of movedTables) tables[table.table] = await copyTable(source, target, table, accountId);
  await target.query(
    `UPDATE accounts a SET default_project_key = k.new FROM moved_accounts s JOIN keys_projects k ON k.old = s.default_project_key
      WHERE a.account_id = s.account_id`,
  );
  onProgress(`Copied ${Object.keys(tables).length} tables.`);
  const records = await copyRecords(source, target, onProgress);
  const { rows: left } = await target.query<{ email: string }>(
    `SELECT email FROM moved_people s WHERE NOT EXISTS (SELECT FROM people t WHERE t.person_id = s.person_id) ORDER BY email`,
  );
  return { tables, records, unmovedPeople: left.map(({ email }) => email) };
}

/** By way of a temporary table, in which each number is replaced. Returns the number of rows. */
async function copyTable(
  source: pg.Client,
  target: pg.Client,
  { table, where, key, refs = {}, values = {}, only = 'true', mayExist = false }: MovedTable,
  accountId: string,
): Promise<number> {
  const columns = await listColumns(source, target, table);
  const names = columns.map(quote).join(', ');
  await target.query(
    `CREATE TEMP TABLE moved_${table} ON COMMIT DROP AS SELECT ${names} FROM ${table} WITH NO DATA`,
  );
  const rows = where.replaceAll('$account', `'${accountId}'`);
  const count = await copy(
    source,
    target,
    `SELECT ${names} FROM ${table} WHERE ${rows}`,
    `moved_${table} (${names})`,
  );
  if (key) {
    await target.query(
      `CREATE TEMP TABLE keys_${table} ON COMMIT DROP AS
        SELECT s.${key}::bigint AS old, nextval(pg_get_serial_sequence('${table}', '${key}')) AS new
        FROM (SELECT ${key} FROM moved_${table} ORDER BY ${key}) s`,
    );
    await target.query(`ALTER TABLE keys_${table} ADD PRIMARY KEY (old)`);
  }
  const valueOf = (column: string) => {
    if (column === key) return 'k.new';
    if (refs[column]) return `(SELECT r.new FROM keys_${refs[column]} r WHERE r.old = s.${column})`;
    return values[column] ?? `s.${quote(column)}`;
  };
  await target.query(
    `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${columns.map(valueOf).join(', ')}
      FROM moved_${table} s ${key ? `JOIN keys_${table} k ON k.old = s.${key}` : ''} WHERE ${only}
      ${key ? 'ORDER BY k.new' : ''} ${mayExist ? 'ON CONFLICT DO NOTHING' : ''}`,
  );
  return count;
}

interface MovedDataset {
  readonly dataset_id: string;
  readonly kind: DatasetKind;
  readonly old_key: number;
  readonly old_partition: number;
  readonly new_key: number;
  readonly new_partition: number;
}

/** Straight from the partition of each dataset to the one of its new number. */
async function copyRecords(
  source: pg.Client,
  target: pg.Client,
  onProgress: (text: string) => void,
): Promise<number> {
  const columns: Record<string, string> = {};
  for (const table of recordTables) {
    const all = await listColumns(source, target, table);
    columns[table] = all
      .filter((column) => column !== 'dataset_key')
      .map(quote)
      .join(', ');
  }
  const { rows: datasets } = await target.query<MovedDataset>(
    `SELECT s.dataset_id, s.kind, s.dataset_key AS old_key, s.partition AS old_partition, d.dataset_key AS new_key,
        d.partition AS new_partition FROM moved_datasets s JOIN datasets d USING (dataset_id) ORDER BY d.dataset_key`,
  );
  let records = 0;
  for (const { dataset_id, kind, old_key, old_partition, new_key, new_partition } of datasets) {
    const names = columns[`${kind}s`];
    const from = partitionTable({ kind, partition: old_partition });
    const count = await copy(
      source,
      target,
      `SELECT ${new_key}, ${names} FROM ${from} WHERE dataset_key = ${old_key} ORDER BY ${kind}_id`,
      `${partitionTable({ kind, partition: new_partition })} (dataset_key, ${names})`,
    );
    records += count;
    onProgress(`Copied ${count} records of ${dataset_id}.`);
  }
  return records;
}

async function copy(source: pg.Client, target: pg.Client, select: string, into: string): Promise<number> {
  const writing = target.query(copyFrom(`COPY ${into} FROM STDIN`));
  await pipeline(source.query(copyTo(`COPY (${select}) TO STDOUT`)), writing);
  return writing.rowCount;
}

/** Both sides must have the same, since they have the same migrations. */
async function listColumns(source: pg.Client, target: pg.Client, table: string): Promise<string[]> {
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

const quote = (column: string) => `"${column}"`;

/** The keys of all objects of an account, with what they must contain, where it is known. */
export async function listAccountObjects(
  source: pg.Client,
  accountId: string,
): Promise<{ object_key: string; size: number | null; sha256: string | null }[]> {
  const { rows } = await source.query<{ object_key: string; size: number | null; sha256: string | null }>(
    `WITH mine AS (SELECT project_key FROM projects WHERE account_id = $1)
      SELECT object_key, object_size::float8 AS size, object_sha256 AS sha256 FROM models JOIN mine USING (project_key)
      UNION SELECT snapshot_key, snapshot_size::float8, snapshot_sha256 FROM models JOIN mine USING (project_key)
        WHERE snapshot_key IS NOT NULL
      UNION SELECT object_key, size::float8, sha256 FROM decision_files JOIN mine USING (project_key)
      UNION SELECT object_key, size::float8, sha256 FROM attribution_files JOIN mine USING (project_key)
      UNION SELECT file->>'object_key', NULL, NULL FROM jobs, jsonb_array_elements(
          CASE jsonb_typeof(job_result->'files') WHEN 'array' THEN job_result->'files' ELSE '[]' END) AS file
        WHERE account_id = $1
      ORDER BY 1`,
    [accountId],
  );
  return rows;
}
