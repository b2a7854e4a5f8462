import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@tastegraph/dev';
import type pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { datasetLockKey } from '../../../src/datasets/rows/datasets.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase, connectTo, ofThisDatabase } from '../stack/database.ts';
import { type ServerProcess, startServer, thisMain } from '../stack/server-process.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let server: ServerProcess;
let caller: Caller;
let dataset: string;
/** Holds the dataset's lock, so that calls that write to it stay in flight. */
let holder: pg.Client;

beforeEach(async () => {
  database = await cloneDatabase();
  server = await startServer('all-in-one', { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl') });
  const credentials = await makeCredentials(database.url);
  caller = new Caller(server.baseUrl, credentials);
  dataset = (await caller.call('createUserDataset', { name: 'u', num_shards: 1 })).user_dataset_id;
  holder = await connectTo(database.url);
  await holder.query(`SELECT pg_advisory_lock(${datasetLockKey(credentials.accountId, dataset)})`);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await holder.end();
  await database.drop();
});

const release = () => holder.query('SELECT pg_advisory_unlock_all()');
const upsert = (id: string) =>
  caller.ask('upsertDatasetUsers', { user_dataset_id: dataset, users: [{ user_id: id }] });

/** Once so many calls wait for the dataset's lock. */
const waitFor = async (calls: number) => {
  const text = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${ofThisDatabase}`;
  await expect.poll(async () => (await holder.query(text)).rowCount).toBe(calls);
};

async function isListening(): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      settle(true);
    });
    socket.on('error', () => settle(false));
  });
}

/** How the process ends within the given milliseconds, if it does. */
const endedWithin = async (ms: number) => Promise.race([server.ended, sleep(ms, 'still running')]);

test('on SIGTERM calls in flight are answered, new connections are refused, and the exit code is 0', async () => {
  // Idle keep-alive connections must not delay the end of the process.
  await Promise.all([caller.ask('listUserDatasets', {}), caller.ask('listUserDatasets', {})]);
  const underWay = ['a', 'b', 'c'].map(upsert);
  await waitFor(3);
  server.signal('SIGTERM');
  await expect.poll(isListening).toBe(false);
  expect(await endedWithin(200)).toBe('still running');
  await release();
  const answers = await Promise.all(underWay);
  expect(answers.map(({ status, body }) => [status, body.succeed_ids])).toEqual([
    [200, ['a']],
    [200, ['b']],
    [200, ['c']],
  ]);
  // `Connection: close` keeps callers from delaying the end with an idle connection.
  expect(new Set(answers.map(({ headers }) => headers.get('connection')))).toEqual(new Set(['close']));
  expect(await endedWithin(10_000)).toBe(0);
  const { rows } = await holder.query('SELECT user_id FROM users ORDER BY user_id');
  expect(rows).toEqual([{ user_id: 'a' }, { user_id: 'b' }, { user_id: 'c' }]);
  expect(server.output()).not.toContain('"closer":');
  expect(server.output()).toContain('"msg":"stopped"');
});

test('with DRAIN_SECONDS it reports "not ready" and accepts calls until then', async () => {
  const drained = await startServer('api', { DATABASE_URL: database.url, DRAIN_SECONDS: '3' });
  const callerOfIt = new Caller(drained.baseUrl, caller.credentials);
  expect((await callerOfIt.ask('listUserDatasets', {})).status).toBe(200);
  const startedAt = performance.now();
  drained.signal('SIGTERM');
  const readiness = async () => (await fetch(`${drained.baseUrl}/readyz`)).status;
  await expect.poll(readiness, { interval: 20 }).toBe(503);
  const { status, headers } = await callerOfIt.ask('listUserDatasets', {});
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  expect(await drained.ended).toBe(0);
  expect(performance.now() - startedAt).toBeGreaterThan(3000);
  await drained[Symbol.asyncDispose]();
});

test('the exit code of "health" says whether the process is ready', async () => {
  const metricsPort = await findFreePort();
  const env = { DATABASE_URL: database.url, METRICS_PORT: String(metricsPort) };
  const health = async (...args: string[]) => {
    const settings = { PATH: process.env['PATH'], PORT: String(server.port), ...env };
    const child = spawn(process.execPath, [thisMain, 'health', ...args], { env: settings });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  };
  expect(await health()).toBe(0);
  expect(await health('worker')).toBe(1);
  const worker = await startServer('worker', env);
  expect(await health('worker')).toBe(0);
  await worker[Symbol.asyncDispose]();
  await release();
  server.signal('SIGTERM');
  await server.ended;
  expect(await health()).toBe(1);
});

test('it ends although nobody reads its log any more', async () => {
  server.closeOutput();
  await caller.ask('listUserDatasets', {});
  server.signal('SIGTERM');
  server.signal('SIGINT');
  expect(await endedWithin(10_000)).toBe(1);
});

test('SIGINT also stops the process, and a second signal ends it at once', async () => {
  const underWay = upsert('a').catch(() => 'broken off');
  await waitFor(1);
  server.signal('SIGINT');
  expect(await endedWithin(300)).toBe('still running');
  await expect.poll(isListening).toBe(false);
  server.signal('SIGTERM');
  expect(await endedWithin(2000)).toBe(1);
  expect(await underWay).toBe('broken off');
});
