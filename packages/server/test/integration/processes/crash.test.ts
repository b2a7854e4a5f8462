import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@tastegraph/dev';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ApiProcess, isReadyWithin, startApiProcess } from '../stack/api-process.ts';
import { answer, Caller, makeCredentials } from '../stack/caller.ts';
import { runSql, startMigratedPostgres } from '../stack/database.ts';
import { perFile } from '../stack/stack.ts';
import { audit, CrashWriter } from './crash-writer.ts';

/** With `FAULTS=all`, as before a release, ten. */
const kills = process.env['FAULTS'] === 'all' ? 10 : 4;
const writerCount = 4;
/** Batches that must succeed after a restart before the next kill, so that each kill meets full load. */
const batchesBetweenKills = 30;

const postgres = perFile(() => startMigratedPostgres());
let api: ApiProcess;
let caller: Caller;
let restartApi: () => Promise<ApiProcess>;
let datasetId: string;

beforeAll(async () => {
  const port = await findFreePort();
  restartApi = () => startApiProcess({ databaseUrl: postgres.url, redisUrl: inject('redisUrl'), port });
  api = await restartApi();
  caller = new Caller(api.baseUrl, await makeCredentials(postgres.url));
  ({ event_dataset_id: datasetId } = await caller.call('createEventDataset', { name: 'e', num_shards: 10 }));
});
afterAll(() => api[Symbol.asyncDispose]());

test(`acknowledged writes survive ${kills} kills of the API and PostgreSQL, and no batch is stored partially`, async () => {
  const writers = Array.from({ length: writerCount }, (_, i) => new CrashWriter(caller, datasetId, i));
  const stop = new AbortController();
  const writing = writers.map((writer) => writer.write(stop.signal));
  const answered = () => writers.reduce((sum, writer) => sum + writer.answered, 0);

  for (let kill = 0; kill < kills; kill++) {
    await waitUntilMore(answered, batchesBetweenKills);
    if (kill % 2 === 0) {
      await api.kill();
      api = await restartApi();
    } else {
      await outlivePostgres();
    }
  }
  await waitUntilMore(answered, batchesBetweenKills);
  stop.abort();
  await Promise.all(writing);

  const batches = writers.flatMap((writer) => writer.batches);
  const { stored, counted } = await readStored();
  const { idsVerified, ...faults } = audit(batches, stored);
  console.log('crash:', {
    kills,
    batchesSent: batches.length,
    batchesAnswered: answered(),
    idsVerified,
    records: stored.size,
    answers: Object.fromEntries(sumByStatus(writers)),
  });
  expect(writers.flatMap((writer) => writer.unsound)).toEqual([]);
  expect(faults).toEqual({ lost: [], partial: [], unknown: [] });
  expect(idsVerified).toBeGreaterThan(kills * batchesBetweenKills * 20);
  const { record_count } = await caller.call('getEventDataset', { event_dataset_id: datasetId });
  expect({ record_count, counted }).toEqual({ record_count: stored.size, counted: stored.size });
}, 120_000);

/** Kills PostgreSQL under the API, which reports that to every caller and recovers on its own. */
async function outlivePostgres(): Promise<void> {
  await postgres.kill();
  if (api.hasExited()) throw new Error(`The api ended with PostgreSQL. ${api.lastWords()}`);
  const calls = await Promise.all([
    caller.ask('getEventDataset', { event_dataset_id: datasetId }),
    caller.ask('listItemDatasets', {}),
    caller.ask('upsertDatasetEvents', { event_dataset_id: datasetId, events: [] }),
    caller.ask('deleteDatasetUserEvents', { event_dataset_id: datasetId, user_id: 'nobody' }),
    caller.requestToken('/get-job'),
  ]);
  for (const { status, body, headers } of calls) {
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE', status: 503 } });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('content-type')).toContain('application/problem+json');
  }
  const ready = await answer(await fetch(`${api.baseUrl}/readyz`));
  expect(ready.status).toBe(503);
  expect((await fetch(`${api.baseUrl}/healthz`)).status).toBe(200);
  await postgres.restart();
  const isBack = await isReadyWithin(api, 10_000);
  expect(isBack, api.lastWords()).toBe(true);
  expect(api.hasExited()).toBe(false);
}

async function waitUntilMore(count: () => number, more: number): Promise<void> {
  const target = count() + more;
  const end = performance.now() + 20_000;
  while (count() < target) {
    if (performance.now() > end || api.hasExited()) {
      throw new Error(`The writers do not get on (api exited: ${api.hasExited()}). ${api.lastWords()}`);
    }
    await sleep(10);
  }
  // At varying points of a call.
  await sleep(Math.random() * 200);
}

async function readStored(): Promise<{ stored: Map<string, number>; counted: number }> {
  const rows = await runSql<{ event_id: string; event_value: number; sound: boolean }>(
    postgres.url,
    `SELECT event_id, event_value, ts = event_value AND (attributes->>'batch')::int = event_value AS sound
      FROM events JOIN datasets USING (dataset_key)`,
  );
  expect(rows.filter((row) => !row.sound)).toEqual([]);
  const [counts] = await runSql<{ counted: number }>(
    postgres.url,
    'SELECT sum(record_count)::int AS counted FROM dataset_counts',
  );
  return {
    stored: new Map(rows.map((row) => [row.event_id, row.event_value])),
    counted: counts?.counted ?? -1,
  };
}

function sumByStatus(writers: readonly CrashWriter[]): Map<number, number> {
  const sum = new Map<number, number>();
  for (const [status, count] of writers.flatMap((writer) => [...writer.answers])) {
    sum.set(status, (sum.get(status) ?? 0) + count);
  }
  return sum;
}
