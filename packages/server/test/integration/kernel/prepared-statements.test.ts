import { expect, test } from 'vitest';
import { readItems, readItemsAfter } from '../../../src/serving/rows/item-reads.ts';
import type { ServedProject } from '../../../src/serving/rows/serving-reads.ts';
import { readUserStates } from '../../../src/serving/rows/user-states.ts';
import { loadStatements } from '../../load-statements.ts';
import { cloneDatabase, openTestDatabase } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';

const clone = perFile(() => cloneDatabase());
const db = perFile(() => openTestDatabase(clone.url, 1));

const place = (kind: string, partition: number) => ({
  id: 'none',
  key: 1,
  partition,
  table: `${kind}_p${String(partition).padStart(2, '0')}`,
});
const readPair = (users: number, events: number) => {
  const project: ServedProject = {
    project_key: 1,
    project_id: 'prj_none',
    account_id: 'acc_none',
    target_event_type: 'buy',
    users: place('users', users),
    items: place('items', 0),
    events: place('events', events),
  };
  return readUserStates(db, [{ project, userId: 'u1' }]);
};
const memory = async () => {
  const text = `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
    (SELECT sum(total_bytes)::float8 FROM pg_backend_memory_contexts) AS bytes`;
  const [row] = await select<{ statements: number; bytes: number }>(db, text);
  return row ?? { statements: 0, bytes: 0 };
};

test('a connection prepares one statement for the users of all projects, whatever partitions they are in', async () => {
  await readPair(0, 0);
  const before = await memory();
  for (let users = 0; users < 16; users++)
    for (let events = 0; events < 64; events++)
      // From the sixth execution on, PostgreSQL may use a generic plan.
      for (let n = 0; n < 6; n++) await readPair(users, events);
  const after = await memory();
  expect(after.statements).toBe(before.statements);
  expect(after.bytes - before.bytes).toBeLessThan(16e6);
}, 120_000);

test('a connection prepares one statement for the items of all projects, whatever they ask for', async () => {
  await readItems(db, place('items', 0), ['i1']);
  const before = await memory();
  for (let partition = 0; partition < 16; partition++)
    for (const fields of ['all', [], ['a'], ['a', 'b']] as const)
      for (let n = 0; n < 6; n++) await readItems(db, place('items', partition), ['i1', 'i2'], fields);
  const after = await memory();
  expect(after.statements).toBe(before.statements);
  expect(after.bytes - before.bytes).toBeLessThan(8e6);
});

test('a connection keeps at most a hundred prepared statements, and those in use', async () => {
  const fields = Array.from({ length: 8 }, (_, n) => `f${n}`);
  const tables = Array.from({ length: 16 }, (_, n) => n);
  const read = (table: number, count: number) =>
    readItemsAfter(db, place('items', table), {
      afterId: '',
      size: 1,
      requestedFields: fields.slice(0, count),
    });
  for (const table of tables)
    for (let count = 1; count <= fields.length; count++) for (let n = 0; n < 6; n++) await read(table, count);
  const { statements, bytes } = await memory();
  expect(statements).toBeLessThanOrEqual(128);
  expect(bytes).toBeLessThan(60e6);
  // A closed statement is prepared again, and one in use stays.
  for (let n = 0; n < 8; n++) expect(await read(0, 1)).toEqual({ items: [], isLast: true });
  const prepared = await select<{ name: string }>(db, 'SELECT name FROM pg_prepared_statements');
  expect(prepared.map(({ name }) => name)).toContain('read_items_after_items_p00_1');
}, 120_000);

test('PostgreSQL accepts every statement', async () => {
  const statements = await loadStatements();
  expect(statements.length).toBeGreaterThan(250);
  for (const { name, text } of statements) {
    await expect(select(db, `PREPARE probe AS ${text}`), name).resolves.toEqual([]);
    await select(db, 'DEALLOCATE probe');
  }
});
