import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/postgres/pool.ts';
import { readUserStates } from '../../src/storage/postgres/serving-reads.ts';
import { cloneDatabase } from './database.ts';
import { select } from './kinds.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Database;

beforeAll(async () => {
  clone = await cloneDatabase();
  db = openDatabase({ url: clone.url, poolSize: 1, onIdleError: () => undefined });
});
afterAll(async () => {
  await db.close();
  await clone.drop();
});

const two = (number: number) => String(number).padStart(2, '0');
const place = (table: string) => ({ id: 'none', key: 1, table });
const readPair = (users: number, events: number) =>
  readUserStates(
    db,
    {
      project_key: 1,
      project_id: 'prj_none',
      account_id: 'acc_none',
      target_event_type: 'buy',
      users: place(`users_p${two(users)}`),
      items: place('items_p00'),
      events: place(`events_p${two(events)}`),
    },
    ['u1'],
  );
const memory = async () => {
  const text = `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
    (SELECT sum(total_bytes)::float8 FROM pg_backend_memory_contexts) AS bytes`;
  const [row] = await select<{ statements: number; bytes: number }>(db, text);
  return row ?? { statements: 0, bytes: 0 };
};

test('a connection that reads projects in all partitions keeps few prepared statements, in little memory', async () => {
  for (let users = 0; users < 16; users++)
    for (let events = 0; events < 64; events++)
      // From the sixth execution on, PostgreSQL may use a generic plan.
      for (let n = 0; n < 6; n++) await readPair(users, events);
  const { statements, bytes } = await memory();
  expect(statements).toBeLessThanOrEqual(128);
  expect(bytes).toBeLessThan(60e6);
  // A closed statement is prepared again, and one in use stays.
  for (let n = 0; n < 8; n++) expect(await readPair(0, 0)).toEqual([]);
  const prepared = await select<{ name: string }>(db, 'SELECT name FROM pg_prepared_statements');
  expect(prepared.map(({ name }) => name)).toContain('read_user_states_users_p00_events_p00');
}, 120_000);
