import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/domain/account/create-account.ts';
import { copyAccount } from '../../src/storage/postgres/copy-account.ts';
import { beginCopy, beginReading, openCopySession } from '../../src/storage/postgres/copy-session.ts';
import { movedTables, recordTables, unmovedTables } from '../../src/storage/postgres/moved-tables.ts';
import { openDatabase } from '../../src/storage/postgres/pool.ts';
import { insertProject } from './aged-rows.ts';
import { cloneDatabase } from './database.ts';
import { runSql } from './run-sql.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

test('every table is moved with its account, or says why it stays', async () => {
  const tables = await runSql<{ name: string }>(
    database.url,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const listed = [...movedTables.map(({ table }) => table), ...recordTables, ...Object.keys(unmovedTables)];
  expect(listed.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
});

test('every number of a moved table, and every reference to one, gets its new value', async () => {
  const numbers = await runSql<{ table: string; column: string }>(
    database.url,
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
      WHERE table_schema = 'public' AND is_identity = 'YES'`,
  );
  const keys = new Map(numbers.map(({ table, column }) => [table, column]));
  for (const { table, key } of movedTables) expect([table, key]).toEqual([table, keys.get(table)]);
  const references = await runSql<{ table: string; column: string; target: string }>(
    database.url,
    `SELECT c.conrelid::regclass::text AS table, a.attname AS column, c.confrelid::regclass::text AS target
      FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace`,
  );
  const expected = references.filter(
    ({ table, target }) => keys.has(target) && movedTables.some((moved) => moved.table === table),
  );
  expect(expected.length).toBeGreaterThan(20);
  for (const { table, column, target } of expected) {
    const moved = movedTables.find((one) => one.table === table);
    // It is set last, when the projects are there.
    if (column === 'default_project_key') expect(moved?.values).toHaveProperty(column);
    else expect([table, column, moved?.refs?.[column]]).toEqual([table, column, target]);
  }
});

test('files of the decision log whose keys take more than four bytes are moved', async () => {
  await using all = new AsyncDisposableStack();
  const other = await cloneDatabase();
  all.defer(other.drop);
  const db = openDatabase({ url: database.url, poolSize: 1, onIdleError: () => undefined });
  all.defer(() => db.close());
  const { account_id } = await createAccount(db, 'a', 'default');
  const { project_id } = await insertProject(db, account_id);
  for (const { url } of [database, other])
    await runSql(url, 'ALTER TABLE decision_files ALTER COLUMN file_key RESTART WITH 3000000000');
  await runSql(
    database.url,
    `INSERT INTO decision_files (project_key, day, first_id, last_id, answers, object_key, size, sha256)
      SELECT project_key, 20000 + n, 'a', 'b', 1, 'decisions/' || n, 1, '' FROM projects, generate_series(1, 3) n
      WHERE project_id = '${project_id}' ORDER BY n`,
  );
  const [source, target] = [await openCopySession(database.url), await openCopySession(other.url)];
  try {
    await beginReading(source);
    expect(await beginCopy(target, account_id)).toBe(true);
    await copyAccount(source, target, account_id);
    await target.query('COMMIT');
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
  const moved = `SELECT file_key::float8 AS key, day FROM decision_files JOIN projects USING (project_key)
    WHERE project_id = '${project_id}' ORDER BY file_key`;
  expect(await runSql(other.url, moved)).toEqual([
    { key: 3_000_000_000, day: 20_001 },
    { key: 3_000_000_001, day: 20_002 },
    { key: 3_000_000_002, day: 20_003 },
  ]);
});
