import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type PrivatePostgres, type PrivateStandby, startStandby } from '@tastegraph/dev';
import { beforeAll, expect, test } from 'vitest';
import { readSamples } from '../../prometheus.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { connectTo, runSql, startMigratedPostgres } from '../stack/database.ts';
import { makeDeployed } from '../stack/deployment-cell.ts';
import { startServer } from '../stack/server-process.ts';
import { makeSlowDatabase, type SlowDatabase } from '../stack/serving-processes.ts';
import { perFile } from '../stack/stack.ts';
import { SteadyCalls } from '../stack/steady-calls.ts';
import {
  deployModel,
  fixedParameters,
  makeProject,
  type TestProject,
  trainModel,
} from '../stack/training.ts';
import { shareEnv } from './process-env.ts';

const maxLagMs = 1000;
/** Reads return to the replica after five seconds; a busy machine takes longer. */
const patience = { timeout: 30_000, interval: 50 };

const cell = perFile(async () => new AsyncDisposableStack());
let primary: PrivatePostgres;
let replica: PrivateStandby;
/** The read address, which can hang. */
let readAddress: SlowDatabase;
let api: Caller;
let serving: Caller;
let metricsUrl: string;
/** The settings of a serving process. */
let replicated: Record<string, string>;
let project: TestProject;

beforeAll(async () => {
  primary = cell.use(await startMigratedPostgres());
  replica = cell.use(await startStandby(primary, 'replica'));
  readAddress = cell.use(await makeSlowDatabase(replica.url, 0));
  const port = await findFreePort();
  // Measures how soon calls succeed again, not how fast a busy machine is.
  const env = await shareEnv(cell, primary.url, { SERVING_DEADLINE_MS: '6000' });
  replicated = { ...env, DATABASE_READ_URL: readAddress.url, DATABASE_READ_LAG_MS: String(maxLagMs) };
  const [apis, serves, worker] = await Promise.all([
    startServer('api', env),
    startServer('serving', { ...replicated, METRICS_PORT: String(port) }),
    startServer('worker', env),
  ]);
  for (const server of [apis, serves, worker]) cell.use(server);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const credentials = await makeCredentials(primary.url);
  api = new Caller(apis.baseUrl, credentials);
  serving = new Caller(serves.baseUrl, credentials);
  project = await makeDeployed(api);
}, 180_000);

const recommend = (user_id = 'u1', from = serving) =>
  from.ask('recommendItemsToUser', { project_id: project.project_id, user_id, limit: 5 });
const itemsFor = async (user: string) => (await recommend(user)).body.results.map(({ item }) => item.item_id);

async function figures(url = metricsUrl) {
  const samples = readSamples(await (await fetch(url)).text());
  return {
    fromReplica: samples['tastegraph_reads_from_replica'],
    lagSeconds: samples['tastegraph_replica_lag_seconds'] ?? Number.NaN,
    toPrimary: samples['tastegraph_read_switches_total{to="primary"}'] ?? Number.NaN,
  };
}
const fromReplica = async (url = metricsUrl) => (await figures(url)).fromReplica;
const untilFromReplica = (is: 0 | 1, url?: string) => expect.poll(() => fromReplica(url), patience).toBe(is);

/** Writes a purchase of the first item that is recommended to the user, and returns it: the next call must leave it out. */
async function buyFirst(user_id: string): Promise<string> {
  const [item_id = ''] = await itemsFor(user_id);
  const event_id = `bought-${user_id}-${item_id}`;
  const events = [{ event_id, user_id, item_id, ts: Date.now(), event_type: 'buy' }];
  await api.call('upsertDatasetEvents', { event_dataset_id: project.event_dataset_id, events });
  return item_id;
}

/** Runs `act` while the replica replays nothing. */
async function whileBehind(act: () => Promise<void>): Promise<void> {
  await runSql(replica.url, 'SELECT pg_wal_replay_pause()');
  try {
    await act();
  } finally {
    await runSql(replica.url, 'SELECT pg_wal_replay_resume()');
  }
}

/** Other answers than 200 complete ones, while `act` runs and for at least a second and 50 calls after it. */
async function failuresDuring(act: () => Promise<unknown>): Promise<unknown[]> {
  const stop = new AbortController();
  const failures: unknown[] = [];
  const call = async () => {
    const answer = await recommend();
    const { status, body } = answer;
    if (status !== 200 || body.degraded?.length) failures.push({ status, degraded: body.degraded });
    return answer;
  };
  const calls = Array.from({ length: 4 }, () => new SteadyCalls(call, stop.signal, 10));
  await sleep(500);
  await act();
  const actedAt = performance.now();
  await sleep(1000);
  const made = () => calls.reduce((sum, one) => sum + one.successes(actedAt, Number.POSITIVE_INFINITY), 0);
  await expect.poll(made, patience).toBeGreaterThan(50);
  stop.abort();
  await sleep(100);
  return [...failures, ...calls.flatMap((one) => one.statuses(new Set([200])))];
}

test('recommendation calls read from the replica, and the lag is measured', async () => {
  await untilFromReplica(1);
  const sessions = `SELECT FROM pg_stat_activity WHERE query ~ 'asked|unseen' AND pid <> pg_backend_pid()`;
  for (let call = 0; call < 5; call++) expect((await recommend()).status).toBe(200);
  expect(await runSql(replica.url, sessions)).not.toHaveLength(0);
  await expect.poll(async () => (await figures()).lagSeconds, patience).toBeLessThan(maxLagMs / 1000);
});

test('a replica that falls behind is left in time: a call counts every event that is older than the allowed lag', async () => {
  const { toPrimary } = await figures();
  await untilFromReplica(1);
  await whileBehind(async () => {
    const bought = await buyFirst('u2');
    await sleep(maxLagMs);
    expect(await itemsFor('u2')).not.toContain(bought);
    const { fromReplica: from, toPrimary: switches } = await figures();
    expect({ from, hasSwitched: switches > toPrimary }).toEqual({ from: 0, hasSwitched: true });
    // From the primary, the very next call counts it.
    const next = await buyFirst('u2');
    expect(await itemsFor('u2')).not.toContain(next);
  });
  await untilFromReplica(1);
});

test('a replica that keeps up stays in use while no call writes', async () => {
  await untilFromReplica(1);
  await sleep(2 * maxLagMs);
  await untilFromReplica(1);
});

test('a replica that is killed costs no call', async () => {
  await untilFromReplica(1);
  try {
    expect(await failuresDuring(() => replica.kill())).toEqual([]);
    await untilFromReplica(0);
  } finally {
    await replica.restart();
  }
  await untilFromReplica(1);
});

test('a replica that hangs costs no call, and is left within a second', async () => {
  await untilFromReplica(1);
  readAddress.stall();
  try {
    const failures = await failuresDuring(async () => {
      const { status, body } = await recommend();
      expect({ status, degraded: body.degraded }).toEqual({ status: 200, degraded: [] });
      await expect.poll(() => fromReplica(), { timeout: 1500, interval: 20 }).toBe(0);
    });
    expect(failures).toEqual([]);
  } finally {
    readAddress.resume();
  }
  await untilFromReplica(1);
});

test('a project, a deployment and a scenario that the replica does not have yet are found', async () => {
  const METRICS_PORT = String(await findFreePort());
  const env = { ...replicated, DATABASE_READ_LAG_MS: '600000', METRICS_PORT };
  await using patient = await startServer('serving', env);
  const caller = new Caller(patient.baseUrl, serving.credentials);
  const url = `http://127.0.0.1:${METRICS_PORT}/metrics`;
  await whileBehind(async () => {
    const made = await makeProject(api, { parameters: fixedParameters });
    const { project_id } = made;
    const named = { project_id: project.project_id, name: 'new' };
    await api.call('createScenario', { ...named, question: 'ITEMS_TO_USER', limit: 3 });
    await untilFromReplica(1, url);
    const { body } = await caller.ask('recommendItemsToUser', { project_id, user_id: 'u1' });
    expect(body.code).toBe('PROJECT_NOT_DEPLOYED');
    const modelId = await trainModel(api, made);
    await using client = await connectTo(primary.url);
    await deployModel((text, values) => client.query(text, values), modelId, 1000);
    expect((await caller.ask('recommendItemsToUser', { project_id, user_id: 'u1' })).status).toBe(200);
    const call = { project_id: project.project_id, user_id: 'u1', scenario: 'new' };
    expect((await caller.ask('recommendItemsToUser', call)).status).toBe(200);
  });
});

test('a process that is stopping measures the lag for as long as it answers calls', async () => {
  const METRICS_PORT = String(await findFreePort());
  const env = { ...replicated, METRICS_PORT, DRAIN_SECONDS: '10' };
  await using stopping = await startServer('serving', env);
  const url = `http://127.0.0.1:${METRICS_PORT}/metrics`;
  await untilFromReplica(1, url);
  stopping.signal('SIGTERM');
  await sleep(2 * maxLagMs);
  const lag = async () => (await figures(url)).lagSeconds;
  await expect.poll(lag, { timeout: 5000, interval: 50 }).toBeLessThan(maxLagMs / 1000);
});

test('without the primary, recommendation calls continue from the replica, also for a new token and after a restart', async () => {
  await untilFromReplica(1);
  expect(await failuresDuring(() => primary.kill())).toEqual([]);
  expect(await fromReplica()).toBe(1);
  const readyz = await fetch(new URL('/readyz', metricsUrl));
  expect({ status: readyz.status, body: await readyz.json() }).toMatchObject({
    status: 200,
    body: { status: 'ready', reason: expect.stringContaining('replica') as string },
  });
  // Longer than keys and signing keys are cached.
  await sleep(2500);
  const restarted = cell.use(await startServer('serving', replicated));
  for (const url of [serving.baseUrl, restarted.baseUrl]) {
    expect((await recommend('u1', new Caller(url, serving.credentials))).status).toBe(200);
  }
  expect((await figures()).lagSeconds).toBeGreaterThan(2);
}, 60_000);

test('a serving process starts while the primary accepts connections and never answers', async () => {
  await using silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = new URL(primary.url);
  address.port = String((silent.address() as { port: number }).port);
  await using started = await startServer('serving', { ...replicated, DATABASE_URL: address.href });
  expect((await recommend('u1', new Caller(started.baseUrl, serving.credentials))).status).toBe(200);
}, 90_000);
