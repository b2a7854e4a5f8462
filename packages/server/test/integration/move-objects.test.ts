import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCredentials } from './api-fleet.ts';
import { Caller } from './caller.ts';
import { type MoveCell, move, startHeldMove, startMoveCell, storeOf } from './move-cells.ts';
import { runSql } from './run-sql.ts';
import { makeProject } from './training.ts';

const all = new AsyncDisposableStack();
let eu1: MoveCell;
let us1: MoveCell;

beforeAll(async () => {
  [eu1, us1] = await Promise.all([startMoveCell('eu1', all), startMoveCell('us1', all)]);
}, 120_000);
afterAll(() => all.disposeAsync());

async function makeShop() {
  const caller = new Caller(eu1.baseUrl, await makeCredentials(eu1.databaseUrl, 'eu1'));
  const project = await makeProject(caller);
  const { user_dataset_id } = project;
  const users = Array.from({ length: 30 }, (_, n) => ({ user_id: `u${n}` }));
  await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  const write = async () => (await caller.ask('upsertDatasetUsers', { user_dataset_id, users })).status;
  return { caller, write };
}

test('files removed or replaced during the copy are removed or replaced in the other cell', async () => {
  const { caller } = await makeShop();
  const { accountId } = caller.credentials;
  const [here, there] = await Promise.all([storeOf(eu1), storeOf(us1)]);
  const [gone, left, replaced, own] = ['gone', 'left', 'replaced', 'own'].map(
    (name) => `imports/${accountId}/${name}.csv`,
  ) as [string, string, string, string];
  const put = (store: typeof here, key: string, user: string) =>
    store.put(key, [Buffer.from(`user_id\n${user}\n`)]);
  const textOf = async (key: string) => text((await there.read(key, {})).bytes);
  for (const key of [gone, replaced]) await put(here, key, 'u1');
  // Left by a killed command, and uploaded early by a customer.
  for (const key of [left, own]) await put(there, key, 'u1');
  await runSql(
    us1.databaseUrl,
    `INSERT INTO loose_objects (object_key, claimed_until) VALUES ('${left}', clock_timestamp() + interval '2 days')`,
  );
  const moving = await startHeldMove(accountId, eu1, us1);
  expect(await textOf(gone)).toContain('u1');
  await here.delete(gone);
  await put(here, replaced, 'u2');
  await moving.release();
  expect(await moving.ended).toMatchObject({ code: 0 });

  const keys = (await there.list(`imports/${accountId}/`)).objects.map(({ key }) => key);
  expect(keys).toEqual([own, replaced]);
  expect(await textOf(replaced)).toContain('u2');
  const orphaned = `SELECT object_key FROM loose_objects WHERE object_key LIKE 'imports/${accountId}/%'`;
  expect(await runSql(us1.databaseUrl, orphaned)).toEqual([]);
}, 60_000);

test('a failed move removes the objects that it copied', async () => {
  const { caller, write } = await makeShop();
  const { accountId } = caller.credentials;
  const [here, there] = await Promise.all([storeOf(eu1), storeOf(us1)]);
  const key = `imports/${accountId}/one.csv`;
  await here.put(key, [Buffer.from('user_id\nu1\n')]);
  const moving = await startHeldMove(accountId, eu1, us1);
  await runSql(
    eu1.databaseUrl,
    `INSERT INTO erasures (erasure_id, account_id, user_id, due_at)
      VALUES ('era_${accountId}', '${accountId}', 'u1', now() + interval '1 hour')`,
  );
  await moving.release();
  const { code, stderr } = await moving.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 erasures')]);
  expect(await write()).toBe(200);
  await expect
    .poll(async () => (await there.list(`imports/${accountId}/`)).objects, { timeout: 20_000 })
    .toEqual([]);
}, 60_000);

const sessions = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tastegraph move-account'`;
const endSessions = ({ databaseUrl }: MoveCell) =>
  runSql(databaseUrl, `SELECT pg_terminate_backend(pid) ${sessions}`);

test('a command that lost its session in the other cell does not accept changes: another one may complete the copy', async () => {
  const { caller, write } = await makeShop();
  const { accountId } = caller.credentials;
  const moving = await startHeldMove(accountId, eu1, us1, 'tables');
  expect(await write()).toBe(503);
  await endSessions(us1);
  const { code, stderr } = await moving.ended;
  await moving.release();
  expect([code, stderr]).toEqual([1, expect.stringContaining('--cancel')]);
  expect(await write()).toBe(503);
  expect(await move(accountId, eu1, us1, '--cancel')).toMatchObject({ status: 'CANCELED' });
  expect(await write()).toBe(200);
}, 60_000);

test('a command that fails after it refused changes accepts them again', async () => {
  const { caller, write } = await makeShop();
  const { accountId } = caller.credentials;
  const moving = await startHeldMove(accountId, eu1, us1, 'tables');
  expect(await write()).toBe(503);
  await endSessions(eu1);
  await moving.release();
  expect(await moving.ended).toMatchObject({ code: 1 });
  expect(await write()).toBe(200);
  expect(await move(accountId, eu1, us1, '--yes')).toMatchObject({ status: 'COPIED' });
}, 60_000);
