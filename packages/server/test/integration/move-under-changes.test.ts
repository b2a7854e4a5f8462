import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCredentials } from './api-fleet.ts';
import { Caller } from './caller.ts';
import { type MoveCell, move, startAdmin, startHeldMove, startMoveCell } from './move-cells.ts';
import { runSql } from './run-sql.ts';
import { SteadyCalls } from './steady-calls.ts';
import { makeProject } from './training.ts';

const all = new AsyncDisposableStack();
let eu1: MoveCell;
let us1: MoveCell;

beforeAll(async () => {
  [eu1, us1] = await Promise.all([startMoveCell('eu1', all), startMoveCell('us1', all)]);
}, 120_000);
afterAll(() => all.disposeAsync());

/** An account with a project, and a dataset that belongs to none. */
async function makeShop() {
  const caller = new Caller(eu1.baseUrl, await makeCredentials(eu1.databaseUrl, 'eu1'));
  const { user_dataset_id: spare } = await caller.call('createUserDataset', { name: 's', num_shards: 1 });
  const project = await makeProject(caller);
  const users = Array.from({ length: 30 }, (_, n) => ({ user_id: `u${n}`, attributes: { n } }));
  for (const user_dataset_id of [spare, project.user_dataset_id])
    await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  return { caller, project, spare };
}

/** All records of an account, as stored. */
async function recordsOf({ databaseUrl }: MoveCell, accountId: string) {
  const stored = ['users', 'items', 'events'].map((table) =>
    runSql<{ record: string }>(
      databaseUrl,
      `SELECT concat_ws(' ', d.dataset_id, to_jsonb(r) - 'dataset_key') AS record
        FROM datasets d JOIN ${table} r USING (dataset_key) WHERE d.account_id = '${accountId}' AND d.deleted_at IS NULL ORDER BY 1`,
    ),
  );
  return (await Promise.all(stored)).flat().map(({ record }) => record);
}

const isThere = (accountId: string) => `SELECT FROM accounts WHERE account_id = '${accountId}'`;

const movingTo = (accountId: string) =>
  runSql(eu1.databaseUrl, `SELECT moving_to FROM accounts WHERE account_id = '${accountId}'`);

test('what changes while records are copied is accepted, and is in the copy', async () => {
  const { caller, project, spare } = await makeShop();
  const { accountId } = caller.credentials;
  const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
  // Begun before the copy, which does not see it yet.
  const early = new pg.Client({ connectionString: eu1.databaseUrl });
  await early.connect();
  all.defer(() => early.end());
  await early.query(
    `BEGIN; UPDATE users SET attributes = '{"n": -2}' WHERE user_id = 'u2'
        AND dataset_key = (SELECT dataset_key FROM datasets WHERE dataset_id = '${user_dataset_id}')`,
  );
  const moving = await startHeldMove(accountId, eu1, us1);
  await early.query('COMMIT');
  const event = { user_id: 'u1', item_id: 'i1', ts: 1, event_type: 'view' };
  await caller.call('upsertDatasetUsers', {
    user_dataset_id,
    users: [
      { user_id: 'added', attributes: { n: -1 } },
      { user_id: 'u3', attributes: { n: -3 } },
    ],
  });
  await caller.call('deleteDatasetUsers', { user_dataset_id, ids: ['u4'] });
  await caller.call('upsertDatasetItems', { item_dataset_id, items: [{ item_id: 'added' }] });
  await caller.call('deleteDatasetItems', { item_dataset_id, ids: ['added', 'i39'] });
  await caller.call('upsertDatasetEvents', {
    event_dataset_id,
    events: [
      { ...event, event_id: 'added' },
      { ...event, event_id: 'e0' },
    ],
  });
  await caller.call('deleteDatasetUserEvents', { event_dataset_id, user_id: 'u5' });
  await caller.call('deleteUserDataset', { user_dataset_id: spare });
  const created = await caller.call('createEventDataset', { name: 'late', num_shards: 1 });
  await caller.call('upsertDatasetEvents', {
    event_dataset_id: created.event_dataset_id,
    events: [{ ...event, event_id: 'late' }],
  });
  expect(await movingTo(accountId)).toEqual([{ moving_to: null }]);

  // More changes, until they are refused.
  const stop = new AbortController();
  let n = 0;
  const refusals = new Set<string>();
  const change = async () => {
    const events = [{ ...event, event_id: `w${n++}` }];
    const made = await caller.ask('upsertDatasetEvents', { event_dataset_id, events });
    if (made.status !== 200) refusals.add(`${made.status} ${made.body.code}`);
    return made;
  };
  const remove = () => caller.ask('deleteDatasetUsers', { user_dataset_id, ids: [`u${5 + (n % 20)}`] });
  const changes = [change, change, remove].map((call) => new SteadyCalls(call, stop.signal, 2));
  await sleep(1500);
  await moving.release();
  const { code, stdout, stderr } = await moving.ended;
  stop.abort();
  await Promise.all(changes.map(({ ended }) => ended));
  expect([code, stderr]).toEqual([0, expect.anything()]);
  // It took long, so that what changed meanwhile was copied before changes were refused, too.
  const rounds = stderr.split(`records of ${event_dataset_id}. Changes are accepted meanwhile.`);
  expect(rounds.length).toBeGreaterThan(2);
  expect([...refusals].filter((refusal) => refusal !== '503 ACCOUNT_MOVING')).toEqual([]);
  expect(changes[0]?.figures(0).answered).toBeGreaterThan(5);

  const here = await recordsOf(eu1, accountId);
  const there = await recordsOf(us1, accountId);
  expect(there).toEqual(here);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'COPIED', records: here.length });
  const has = (id: string, text: string) =>
    there.some((record) => record.startsWith(id) && record.includes(text));
  expect([
    has(user_dataset_id, '"added"'),
    has(user_dataset_id, '"n": -2'),
    has(user_dataset_id, '"n": -3'),
    has(event_dataset_id, '"added"'),
    has(created.event_dataset_id, '"late"'),
    has(user_dataset_id, '"u4"'),
    has(item_dataset_id, '"i39"'),
    has(event_dataset_id, '"u5"'),
  ]).toEqual([true, true, true, true, true, false, false, false]);
  const left = ['users', 'items', 'events'].map(
    (table) => `SELECT FROM ${table} WHERE dataset_key NOT IN (SELECT dataset_key FROM datasets)`,
  );
  expect(await runSql(us1.databaseUrl, left.join(' UNION ALL '))).toEqual([]);
  const moved = new Caller(us1.baseUrl, caller.credentials);
  const { record_count } = await moved.call('getUserDataset', { user_dataset_id });
  expect(record_count).toBe(there.filter((record) => record.startsWith(user_dataset_id)).length);
  expect((await moved.ask('getUserDataset', { user_dataset_id: spare })).status).toBe(404);
  await moved.call('upsertDatasetEvents', {
    event_dataset_id: created.event_dataset_id,
    events: [{ ...event, event_id: 'later' }],
  });
}, 120_000);

test('a move that is killed while it copies records leaves nothing refused, and can be repeated', async () => {
  const { caller, project } = await makeShop();
  const { accountId } = caller.credentials;
  const { user_dataset_id } = project;
  const write = async (user_id: string) =>
    (await caller.ask('upsertDatasetUsers', { user_dataset_id, users: [{ user_id }] })).status;
  const killed = await startHeldMove(accountId, eu1, us1);
  expect(await write('during')).toBe(200);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await killed.release();
  const sessions = `SELECT FROM pg_stat_activity WHERE application_name = 'tastegraph move-account' AND datname = current_database()`;
  await expect.poll(() => runSql(us1.databaseUrl, sessions), { timeout: 30_000 }).toEqual([]);
  expect(await write('after')).toBe(200);
  expect(await movingTo(accountId)).toEqual([{ moving_to: null }]);
  expect(await runSql(us1.databaseUrl, isThere(accountId))).toEqual([]);

  // As a command leaves it that is killed after it refused changes. The next one accepts them again while it copies records.
  await runSql(eu1.databaseUrl, `UPDATE accounts SET moving_to = 'us1' WHERE account_id = '${accountId}'`);
  expect(await write('refused')).toBe(503);
  const repeated = await startHeldMove(accountId, eu1, us1);
  expect(await write('accepted')).toBe(200);
  await repeated.release();
  expect(await repeated.ended).toMatchObject({ code: 0 });
  expect(await write('refused')).toBe(503);
  expect(await recordsOf(us1, accountId)).toEqual(await recordsOf(eu1, accountId));
  expect(await move(accountId, eu1, us1, '--finish')).toMatchObject({ status: 'MOVED' });
}, 120_000);

test('an account that is deleted while its records are copied is not moved', async () => {
  const { caller } = await makeShop();
  const { accountId } = caller.credentials;
  const moving = await startHeldMove(accountId, eu1, us1);
  const deleting = startAdmin(eu1, 'delete-account', '--account', accountId, '--yes');
  const marked = `SELECT FROM account_deletions WHERE account_id = '${accountId}'`;
  await expect.poll(() => runSql(eu1.databaseUrl, marked), { timeout: 10_000 }).toHaveLength(1);
  await moving.release();
  expect(await moving.ended).toMatchObject({ code: 1 });
  expect(await deleting.ended).toMatchObject({ code: 0 });
  expect(await runSql(us1.databaseUrl, isThere(accountId))).toEqual([]);
}, 60_000);
