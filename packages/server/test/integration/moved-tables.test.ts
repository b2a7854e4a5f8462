import { afterAll, beforeAll, expect, test } from 'vitest';
import { movedTables, recordTables, unmovedTables } from '../../src/storage/postgres/moved-tables.ts';
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
