import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelAccountMove } from '../../src/storage/postgres/account-moves.ts';
import { claimOutcomeState } from '../../src/storage/postgres/outcome-states.ts';
import { openDatabase } from '../../src/storage/postgres/pool.ts';
import { makeCredentials } from './api-fleet.ts';
import { Caller, withoutId } from './caller.ts';
import {
  type MoveCell,
  move,
  moveArgs,
  startAdmin,
  startHeldMove,
  startMoveCell,
  storeOf,
} from './move-cells.ts';
import { runSql } from './run-sql.ts';
import { SteadyCalls } from './steady-calls.ts';
import {
  fixedParameters,
  makeProject,
  submit,
  type TestProject,
  trainModel,
  waitForJob,
} from './training.ts';

interface Shop {
  readonly caller: Caller;
  readonly project: TestProject;
}

const all = new AsyncDisposableStack();
let eu1: MoveCell;
let us1: MoveCell;

beforeAll(async () => {
  [eu1, us1] = await Promise.all([startMoveCell('eu1', all), startMoveCell('us1', all)]);
}, 120_000);
afterAll(() => all.disposeAsync());

/** An account that has something of everything. */
async function makeShop(cell: MoveCell): Promise<Shop> {
  const caller = new Caller(cell.baseUrl, await makeCredentials(cell.databaseUrl, cell.name));
  const project = await makeProject(caller, { parameters: fixedParameters });
  const { project_id, algorithm_id, user_dataset_id } = project;
  const users = Array.from({ length: 30 }, (_, n) => ({
    user_id: `u${n}`,
    attributes: { n, text: 'ä\t\n\\' },
  }));
  await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  const generator_model_id = await trainModel(caller, project);
  const deployment = { project_id, name: 'd', generator_model_id, qps: 1_000_000 };
  const { job_id } = await caller.call('submitDeploymentJob', deployment);
  expect(await waitForJob(caller, project_id, job_id)).toMatchObject({ job_status: 'SUCCEED' });
  await caller.call('createScenario', { project_id, name: 'home', question: 'ITEMS_TO_USER', limit: 3 });
  await caller.call('updateScenario', { project_id, name: 'home', limit: 2 });
  await caller.call('createSchedule', {
    project_id,
    name: 'yearly',
    cron: '0 3 1 1 *',
    time_zone: 'Europe/Berlin',
    what: { job_type: 'TRAINING', request: { algorithm_id } },
  });
  await caller.call('createWebhook', { url: 'https://example.com/', events: ['job.ended'] });
  await caller.call('createApiKey', { name: 'reads', operations: ['/get-project'] });
  await caller.call('invitePerson', {
    email: `${cell.name}-${Date.now()}@example.com`,
    name: 'P',
    role: 'OWNER',
  });
  return { caller, project };
}

/** What callers of an account see. */
async function viewOf(
  caller: Caller,
  { project_id, user_dataset_id, item_dataset_id, event_dataset_id }: TestProject,
) {
  const { models } = await caller.call('listModels', { project_id });
  const questions = ['u0', 'u1', 'u2', 'nobody'].map(async (user_id) => {
    const request = { project_id, user_id, limit: 5, explain: true };
    // Cursors are encrypted.
    const { cursor: _cursor, ...answer } = withoutId(await caller.call('recommendItemsToUser', request));
    return answer;
  });
  return {
    projects: await caller.call('listProjects', {}),
    datasets: [
      await caller.call('getUserDataset', { user_dataset_id }),
      await caller.call('getItemDataset', { item_dataset_id }),
      await caller.call('getEventDataset', { event_dataset_id }),
    ],
    users: await caller.call('listDatasetUsers', { user_dataset_id }),
    items: await caller.call('listDatasetItems', { item_dataset_id }),
    events: await caller.call('listDatasetEvents', { event_dataset_id, user_id: 'u1' }),
    algorithms: await caller.call('listAlgorithms', { project_id }),
    models: await Promise.all(
      models.map(({ model_id }) => caller.call('getModel', { project_id, model_id })),
    ),
    jobs: (await caller.call('listJobs', { project_id })).jobs,
    scenarios: await caller.call('listScenarios', { project_id }),
    schedules: await caller.call('listSchedules', { project_id }),
    webhooks: await caller.call('listWebhooks', {}),
    people: await caller.call('listPeople', {}),
    // When they were used last is written later.
    keys: (await caller.call('listApiKeys', {})).api_keys.map(({ api_key, name, operations }) => ({
      api_key,
      name,
      operations,
    })),
    recommendations: await Promise.all(questions),
  };
}

test('a moved account answers as before, has every acknowledged change, and leaves other accounts alone', async () => {
  // The first account of each cell: their numbers are the same.
  const [shop, other] = await Promise.all([makeShop(eu1), makeShop(us1)]);
  const { caller, project } = shop;
  const { accountId } = caller.credentials;
  const { project_id, event_dataset_id, user_dataset_id } = project;
  const before = await viewOf(caller, project);
  const othersBefore = await viewOf(other.caller, other.project);

  const acknowledged = {
    events: [] as string[],
    users: new Map<string, number>(),
    algorithms: [] as string[],
  };
  const refusals = new Set<string>();
  const note = <T extends { status: number; body: { code?: string } }>(answer: T, onDone: () => void) => {
    if (answer.status === 200) onDone();
    else refusals.add(`${answer.status} ${answer.body.code}`);
    return answer;
  };
  const stop = new AbortController();
  let n = 0;
  const writeEvent = async () => {
    const event_id = `w${n++}`;
    const events = [{ event_id, user_id: `w${n}`, item_id: 'i1', ts: n, event_type: 'view' }];
    const made = await caller.ask('upsertDatasetEvents', { event_dataset_id, events });
    return note(made, () => acknowledged.events.push(event_id));
  };
  // Changes existing records only, so that no count changes.
  const changeUser = async () => {
    // Not those who are asked for recommendations.
    const [user_id, value] = [`u${3 + (n % 27)}`, n++];
    const users = [{ user_id, attributes: { n: value } }];
    const made = await caller.ask('upsertDatasetUsers', { user_dataset_id, users });
    return note(made, () => acknowledged.users.set(user_id, value));
  };
  const createAlgorithm = async () => {
    const request = { project_id, name: `a${n++}`, algorithm_type: 'POPULAR', algorithm_parameters: {} };
    const made = await caller.ask('createAlgorithm', request);
    return note(made, () => acknowledged.algorithms.push(made.body.algorithm_id));
  };
  const writing = [writeEvent, writeEvent, writeEvent, changeUser, createAlgorithm].map(
    (call) => new SteadyCalls(call, stop.signal, 2),
  );
  const recommending = new SteadyCalls(
    () => caller.ask('recommendItemsToUser', { project_id, user_id: 'u0', limit: 5 }),
    stop.signal,
    20,
  );
  await sleep(1500);
  const moved = await move(accountId, eu1, us1, '--yes');
  await sleep(500);
  stop.abort();
  await sleep(500);
  console.log('move:', moved, acknowledged.events.length, acknowledged.algorithms.length, [...refusals]);
  expect(moved).toMatchObject({ status: 'COPIED' });
  expect(moved.moved_keys.map(({ api_key }) => api_key)).toContain(caller.credentials.apiKey);
  expect([...refusals]).toEqual(['503 ACCOUNT_MOVING']);
  expect(recommending.statuses(new Set([200]))).toEqual([]);
  for (const calls of writing) expect(calls.figures(0).answered).toBeGreaterThan(5);

  const stored = await runSql<{ event_id: string }>(
    us1.databaseUrl,
    `SELECT event_id FROM events JOIN datasets USING (dataset_key) WHERE dataset_id = '${event_dataset_id}'`,
  );
  const ids = new Set(stored.map(({ event_id }) => event_id));
  expect(acknowledged.events.filter((id) => !ids.has(id))).toEqual([]);
  const there = new Caller(us1.baseUrl, caller.credentials);
  const { algorithms } = await there.call('listAlgorithms', { project_id });
  const names = new Set(algorithms.map(({ algorithm_id }) => algorithm_id));
  // The list has a page of the newest.
  expect(acknowledged.algorithms.slice(-50).filter((id) => !names.has(id))).toEqual([]);
  for (const [user_id, value] of acknowledged.users) {
    const { attributes } = await there.call('getDatasetUser', { user_dataset_id, user_id });
    expect([user_id, attributes]).toEqual([user_id, { n: value }]);
  }

  // Until calls are sent to the other cell, this one answers those that only read.
  expect((await caller.ask('getProject', { project_id })).status).toBe(200);
  const writes = [
    await caller.ask('upsertDatasetUsers', {
      user_dataset_id,
      users: [{ user_id: 'u0', attributes: { x: 1 } }],
    }),
    await caller.ask('deleteProject', { project_id }),
    await caller.ask('submitTrainingJob', { project_id, algorithm_id: project.algorithm_id, name: 'late' }),
    await caller.ask('deleteDatasetUsers', { user_dataset_id, ids: ['u0'] }),
  ];
  for (const { status, body, headers } of writes)
    expect([status, body.code, headers.has('retry-after')]).toEqual([503, 'ACCOUNT_MOVING', true]);
  // The token of one cell is not valid in the other, so that SDKs get a new one.
  const token = await fetch(`${us1.baseUrl}/get-project?project_id=${project_id}`, {
    headers: await caller.headers(),
  });
  expect(token.status).toBe(401);

  const after = await viewOf(there, project);
  const { events: _events, users: _users, algorithms: _algorithms, datasets: _datasets, ...same } = before;
  expect(after).toMatchObject(same);
  expect(after.datasets[1]).toEqual(before.datasets[1]);
  expect(await viewOf(other.caller, other.project)).toEqual(othersBefore);

  expect(await move(accountId, eu1, us1, '--finish')).toMatchObject({ status: 'MOVED' });
  const gone = async () => {
    const { status, body } = await caller.ask('getProject', { project_id });
    return [status, body.code, JSON.stringify(body).includes('us1')];
  };
  await expect.poll(gone, { timeout: 10_000 }).toEqual([503, 'ACCOUNT_MOVING', true]);
  expect(await caller.requestToken('/get-project')).toMatchObject({
    status: 503,
    body: { code: 'ACCOUNT_MOVING' },
  });
  // The old copy goes, the new one stays.
  const deletion = await startAdmin(eu1, 'delete-account', '--account', accountId, '--yes').ended;
  expect([deletion.code, deletion.stderr]).toEqual([0, expect.anything()]);
  expect(JSON.parse(deletion.stdout)).toMatchObject({ status: 'DELETED' });
  expect(await viewOf(there, project)).toEqual(after);

  // New changes, and a training from the copied records.
  await there.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id: 'new' }] });
  const job_id = await submit(there, project, 'in the other cell');
  expect(await waitForJob(there, project_id, job_id)).toMatchObject({ job_status: 'SUCCEED' });
}, 240_000);

test('a move that was killed can be canceled, or repeated', async () => {
  const { caller, project } = await makeShop(eu1);
  const { accountId } = caller.credentials;
  const { user_dataset_id } = project;
  const before = await viewOf(caller, project);
  const write = async () =>
    (
      await caller.ask('upsertDatasetUsers', {
        user_dataset_id,
        users: [{ user_id: 'u0', attributes: { n: 0, text: 'ä\t\n\\' } }],
      })
    ).status;
  const isThere = async () =>
    (await runSql(us1.databaseUrl, `SELECT FROM accounts WHERE account_id = '${accountId}'`)).length;
  for (const next of ['--cancel', '--yes']) {
    // In the middle of the copy: half of the tables are there, uncommitted.
    const moving = await startHeldMove(accountId, eu1, us1, 'tables');
    expect(await write()).toBe(503);
    const second = await startAdmin(eu1, ...moveArgs(accountId, us1), '--yes').ended;
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('Another command')]);
    moving.child.kill('SIGKILL');
    await moving.ended;
    await moving.release();
    const left = `SELECT FROM pg_stat_activity WHERE application_name = 'tastegraph move-account'`;
    await expect.poll(() => runSql(us1.databaseUrl, left), { timeout: 30_000 }).toEqual([]);
    expect([await isThere(), await write()]).toEqual([0, 503]);
    const { status } = await move(accountId, eu1, us1, next);
    expect(status).toBe(next === '--cancel' ? 'CANCELED' : 'COPIED');
    if (next === '--cancel') expect(await write()).toBe(200);
  }
  expect(await viewOf(new Caller(us1.baseUrl, caller.credentials), project)).toEqual(before);
  // It is complete, so it can only be finished.
  const late = await startAdmin(eu1, ...moveArgs(accountId, us1), '--cancel').ended;
  expect(late.code).toBe(1);
  expect(await move(accountId, eu1, us1, '--yes')).toMatchObject({ status: 'COPIED' });
  expect(await move(accountId, eu1, us1, '--finish')).toMatchObject({ status: 'MOVED' });
}, 240_000);

test('a move is refused, and the account stays as it is, while a job runs, without --yes, and into the same cell', async () => {
  const caller = new Caller(eu1.baseUrl, await makeCredentials(eu1.databaseUrl, 'eu1'));
  const project = await makeProject(caller);
  const { accountId } = caller.credentials;
  await runSql(
    eu1.databaseUrl,
    `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, job_status, turn, heartbeat_at)
      SELECT 'job_x', account_id, project_key, 'TRAINING', 'x', '{}', 'RUNNING', 0, now() + interval '1 hour'
      FROM projects WHERE project_id = '${project.project_id}'`,
  );
  const answers = [
    await startAdmin(eu1, ...moveArgs(accountId, us1), '--yes').ended,
    await startAdmin(eu1, ...moveArgs(accountId, us1)).ended,
    await startAdmin(eu1, ...moveArgs(accountId, eu1), '--yes').ended,
    await startAdmin(eu1, ...moveArgs(accountId, us1), '--finish').ended,
  ];
  expect(answers.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  expect(answers[1]?.stderr).toContain('--yes');
  const { user_dataset_id } = project;
  await caller.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id: 'still' }] });
}, 60_000);

async function openSession(url: string): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  all.defer(() => session.end());
  return session;
}

test('a change that began before changes were refused is in the copy, and nothing changes the account afterwards', async () => {
  const caller = new Caller(eu1.baseUrl, await makeCredentials(eu1.databaseUrl, 'eu1'));
  const { project_id } = await makeProject(caller);
  const { accountId } = caller.credentials;
  // Of two changes, one has a number below that of the move's start, and one above it. Both began before it was committed.
  const [holder, early, late] = await Promise.all(
    [eu1, eu1, eu1].map((cell) => openSession(cell.databaseUrl)),
  );
  if (!holder || !early || !late) throw new Error('no sessions');
  const insert = (session: pg.Client, id: string) =>
    session.query(
      `BEGIN; INSERT INTO algorithms (algorithm_id, project_key, name, algorithm_type, algorithm_parameters)
        SELECT '${id}', project_key, '${id}', 'POPULAR', '{}' FROM projects WHERE project_id = '${project_id}'`,
    );
  await insert(early, 'alg_early');
  await holder.query(`BEGIN; SELECT FROM accounts WHERE account_id = '${accountId}' FOR UPDATE`);
  const moving = startAdmin(eu1, ...moveArgs(accountId, us1), '--yes');
  const starting = `SELECT FROM pg_stat_activity WHERE query LIKE 'UPDATE accounts SET moving_to%' AND wait_event_type = 'Lock'`;
  await expect
    .poll(() => runSql(eu1.databaseUrl, starting), { timeout: 10_000, interval: 20 })
    .toHaveLength(1);
  await early.query('COMMIT');
  await insert(late, 'alg_late');
  await holder.query('COMMIT');
  await sleep(1500);
  expect(moving.stderr()).not.toContain('are refused');
  await late.query('COMMIT');
  const { code, stderr } = await moving.ended;
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const { algorithms } = await new Caller(us1.baseUrl, caller.credentials).call('listAlgorithms', {
    project_id,
  });
  const ids = algorithms.map(({ algorithm_id }) => algorithm_id);
  expect(ids).toEqual(expect.arrayContaining(['alg_early', 'alg_late']));

  const db = openDatabase({ url: eu1.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  all.defer(() => db.close());
  // The job that attributes events leaves the account alone. Workers of the cell claim projects, too.
  const ofProject = `FROM projects WHERE project_id = '${project_id}'`;
  await runSql(
    eu1.databaseUrl,
    `INSERT INTO outcome_states (project_key, due_at) SELECT project_key, '2000-01-01' ${ofProject}`,
  );
  await claimOutcomeState(db, 600);
  const due = `SELECT due_at = '2000-01-01' AS waits FROM outcome_states WHERE project_key = (SELECT project_key ${ofProject})`;
  expect(await runSql(eu1.databaseUrl, due)).toEqual([{ waits: true }]);

  const target = `SELECT moving_to FROM accounts WHERE account_id = '${accountId}'`;
  await cancelAccountMove(db, accountId, 'another');
  expect(await runSql(eu1.databaseUrl, target)).toEqual([{ moving_to: 'us1' }]);
}, 60_000);

test('workers of the other cell do not remove a copied object, even if they are removing an earlier copy', async () => {
  const caller = new Caller(eu1.baseUrl, await makeCredentials(eu1.databaseUrl, 'eu1'));
  const { accountId } = caller.credentials;
  const [here, there] = await Promise.all([storeOf(eu1), storeOf(us1)]);
  const names = ['claimed', 'orphaned', 'present', 'absent'].map(
    (name) => `imports/${accountId}/${name}.csv`,
  );
  for (const key of names) {
    await here.put(key, [Buffer.from('user_id\nu1\n')]);
    if (!key.endsWith('absent.csv')) await there.put(key, [Buffer.from('user_id\nu1\n')]);
  }
  // As a worker does that takes a few seconds for it.
  await runSql(
    us1.databaseUrl,
    `INSERT INTO loose_objects (object_key, claimed_until)
      VALUES ('${names[0]}', clock_timestamp() + interval '6 s'), ('${names[1]}', NULL)`,
  );
  expect(await move(accountId, eu1, us1, '--yes')).toMatchObject({ status: 'COPIED' });
  const left = `SELECT object_key FROM loose_objects WHERE object_key LIKE 'imports/${accountId}/%'`;
  expect(await runSql(us1.databaseUrl, left)).toEqual([]);
  // Longer than the claim lasted, and than a worker waits between two rounds.
  await sleep(9000);
  for (const key of names) expect([key, await there.size(key)]).toEqual([key, 11]);
}, 60_000);
