import type pg from 'pg';
import { listColumns, quote, reserveKeys, transferRows } from './copy-session.ts';
import { resultFiles } from './jobs.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import type { Queryable, Statement } from './pool.ts';

/** IDs are part of COPY statements, which take no parameters. */
const idForm = /^[a-z]+_[0-9a-z]+$/;

export interface CopiedAccount {
  readonly tables: Readonly<Record<string, number>>;
  /** Emails of people who belong to the account, but not in the target: somebody else has their email there. */
  readonly unmovedPeople: readonly string[];
}

/**
 * Copies all rows of an account except its records to another database, within the transactions of both sessions. IDs and keys stay the
 * same; numbers are those that the target assigns, or that `copyRecords` has reserved.
 */
export async function copyAccount(
  source: pg.Client,
  target: pg.Client,
  accountId: string,
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
  const { rows: left } = await target.query<{ email: string }>(
    `SELECT email FROM moved_people s WHERE NOT EXISTS (SELECT FROM people t WHERE t.person_id = s.person_id) ORDER BY email`,
  );
  return { tables, unmovedPeople: left.map(({ email }) => email) };
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
  const count = await transferRows(
    source,
    target,
    `SELECT ${names} FROM ${table} WHERE ${rows}`,
    `moved_${table} (${names})`,
  );
  if (key) await reserveKeys(target, table, key, `SELECT ${key} AS old FROM moved_${table}`);
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

interface AccountObject {
  readonly object_key: string;
  readonly size: number | null;
  readonly sha256: string | null;
}

const objectsStatement: Statement = {
  name: 'list_account_objects',
  text: `WITH mine AS (SELECT project_key FROM projects WHERE account_id = $1)
      SELECT object_key, object_size::float8 AS size, object_sha256 AS sha256 FROM models JOIN mine USING (project_key)
      UNION SELECT snapshot_key, snapshot_size::float8, snapshot_sha256 FROM models JOIN mine USING (project_key)
        WHERE snapshot_key IS NOT NULL
      UNION SELECT object_key, size::float8, sha256 FROM decision_files JOIN mine USING (project_key)
      UNION SELECT object_key, size::float8, sha256 FROM attribution_files JOIN mine USING (project_key)
      UNION SELECT file->>'object_key', NULL, NULL FROM jobs, ${resultFiles('job_result')} AS file WHERE account_id = $1
      ORDER BY 1`,
};

/** The keys of all objects of an account, with what they must contain, where it is known. */
export async function listAccountObjects(db: Queryable, accountId: string): Promise<AccountObject[]> {
  return db.rows<AccountObject>(objectsStatement, [accountId]);
}
