import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type EventRecord, type ImportError, Tastegraph, TimeoutError } from '@tastegraph/sdk';
import { expect, test } from 'vitest';
import { access, client } from './client.ts';
import { type NetworkFault, startFaultyProxy } from './faulty-proxy.ts';

const cuts: NetworkFault[] = [
  'cut before',
  'cut in the middle',
  'cut before the response',
  'cut in the response',
];

const event = (index: number, ts: number): EventRecord => ({
  event_id: `e${index}`,
  user_id: `u${index % 1000}`,
  item_id: `i${index % 77}`,
  ts,
  event_type: 'watch',
});

function* events(count: number, from = 0) {
  for (let index = from; index < count; index++) yield event(index, 1_700_000_000_000 + index);
}

const createDataset = async (name: string) =>
  (await client.createEventDataset({ name, num_shards: 10 })).event_dataset_id;
const countOf = async (event_dataset_id: string) =>
  (await client.getEventDataset({ event_dataset_id })).record_count;

test('50,000 events are written exactly once through a proxy that cuts, delays, duplicates and refuses requests', async () => {
  const event_dataset_id = await createDataset('through a faulty proxy');
  await using proxy = await startFaultyProxy(access.baseUrl, [...cuts, 'late', 'twice', 'unavailable'], 0.4);
  const acknowledged: number[] = [];
  const report = await new Tastegraph({ ...access, baseUrl: proxy.baseUrl }).importEvents(
    event_dataset_id,
    events(50_000),
    { onAcknowledged: (count) => acknowledged.push(count) },
  );
  expect(report).toEqual({ sent: 50_000, succeeded: 50_000, failed: 0, replaced: 0 });
  expect(await countOf(event_dataset_id)).toBe(50_000);
  expect(acknowledged).toEqual(acknowledged.toSorted((a, b) => a - b));
  expect(acknowledged.at(-1)).toBe(50_000);
  expect(proxy.faults.size).toBeGreaterThanOrEqual(5);
  // Without faults, there would be two token requests and fifty batches.
  expect(proxy.requests).toBeGreaterThan(60);
}, 120_000);

test('of two records with the same ID the later one is stored, even if connections are cut', async () => {
  const event_dataset_id = await createDataset('twice');
  await using proxy = await startFaultyProxy(access.baseUrl, cuts, 0.3);
  const twice = function* () {
    for (let block = 0; block < 10; block++)
      for (const ts of [1_500_000_000_000, 1_700_000_000_000])
        for (let index = 0; index < 1500; index++) yield event(block * 1500 + index, ts);
  };
  await new Tastegraph({ ...access, baseUrl: proxy.baseUrl }).importEvents(event_dataset_id, twice());
  expect(proxy.faults.size).toBeGreaterThan(0);
  // Deletes every event that still has the earlier time.
  await client.deleteDatasetEventsBeforeTs({ event_dataset_id, ts: 1_600_000_000_000 });
  expect(await countOf(event_dataset_id)).toBe(15_000);
}, 120_000);

test('an import that failed can be continued after the acknowledged records', async () => {
  const event_dataset_id = await createDataset('in two parts');
  const total = 20_000;
  const failure = await (async () => {
    await using proxy = await startFaultyProxy(access.baseUrl, [], 0);
    const options = {
      maxRetries: 1,
      onAcknowledged: (count: number) => void (count >= 5000 && proxy[Symbol.asyncDispose]()),
    };
    return (await new Tastegraph({ ...access, baseUrl: proxy.baseUrl })
      .importEvents(event_dataset_id, events(total), options)
      .catch((reason: unknown) => reason)) as ImportError;
  })();
  expect(failure).toMatchObject({ name: 'ImportError', cause: { name: 'ConnectionError' } });
  expect(failure.acknowledged).toBeGreaterThanOrEqual(5000);
  expect(await countOf(event_dataset_id)).toBeGreaterThanOrEqual(failure.acknowledged);
  await client.importEvents(event_dataset_id, events(total, failure.acknowledged));
  expect(await countOf(event_dataset_id)).toBe(total);
});

test('tokens that expire or are refused during an import are renewed', async () => {
  const event_dataset_id = await createDataset('for hours');
  let tokens = 0;
  let calls = 0;
  const corruptTokens: typeof fetch = (input, init) => {
    if (input === `${access.baseUrl}/oauth/token`) tokens += 1;
    else if (++calls % 4 === 0) {
      const headers = new Headers(init?.headers);
      headers.set('authorization', `${headers.get('authorization')}corrupted`);
      return fetch(input, { ...init, headers });
    }
    return fetch(input, init);
  };
  // The clock advances by ten minutes per batch.
  let ahead = 0;
  const clock = {
    now: () => Date.now() + ahead,
    random: Math.random,
    sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  };
  const hurried = new Tastegraph({ ...access, fetch: corruptTokens, timeoutMs: Infinity }, clock);
  const report = await hurried.importEvents(event_dataset_id, events(20_000), {
    concurrency: 1,
    timeoutMs: Infinity,
    onProgress: () => (ahead += 600_000),
  });
  expect(report.succeeded).toBe(20_000);
  expect(await countOf(event_dataset_id)).toBe(20_000);
  // The first one, one per refused token (every fourth call), and one per hour of three hours.
  expect(tokens).toBeGreaterThan(5);
});

test('an invalid record is reported with its index, and the others are written', async () => {
  const event_dataset_id = await createDataset('some wrong');
  const failures: unknown[] = [];
  const source = function* () {
    for (const record of events(3000)) {
      const index = Number(record.event_id.slice(1));
      yield index === 1234 ? { ...record, ts: 1.5 } : index === 2000 ? { ...record, event_type: '' } : record;
    }
  };
  const report = await client.importEvents(event_dataset_id, source(), {
    onFailure: ({ record, index, id, code }) => void failures.push([record.event_id, index, id, code]),
  });
  expect(report).toEqual({ sent: 3000, succeeded: 2998, failed: 2, replaced: 0 });
  expect(failures.toSorted()).toEqual([
    ['e1234', 1234, 'e1234', 'FIELD_INVALID'],
    ['e2000', 2000, 'e2000', 'FIELD_INVALID'],
  ]);
  expect(await countOf(event_dataset_id)).toBe(2998);
});

test('an abort and a timeout end an import immediately, even on a slow connection', async () => {
  const event_dataset_id = await createDataset('too slow');
  await using proxy = await startFaultyProxy(access.baseUrl, ['late'], 1);
  const slow = new Tastegraph({ ...access, baseUrl: proxy.baseUrl });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 100);
  const started = Date.now();
  await expect(
    slow.importEvents(event_dataset_id, events(1_000_000), { signal: controller.signal }),
  ).rejects.toThrow('enough');
  // A million records through this proxy would take hours.
  expect(Date.now() - started).toBeLessThan(30_000);
  const failure = await slow
    .importEvents(event_dataset_id, events(10), { timeoutMs: 100 })
    .catch((reason: unknown) => reason);
  expect(failure).toMatchObject({ name: 'ImportError', acknowledged: 0 });
  expect((failure as ImportError).cause).toBeInstanceOf(TimeoutError);
});

test('memory does not grow with half a million records', async () => {
  const { user_dataset_id } = await client.createUserDataset({ name: 'endless', num_shards: 10 });
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heaps: number[] = [];
  const source = function* () {
    for (let index = 0; index < 500_000; index++) yield { user_id: `u${index}` };
  };
  const report = await client.importUsers(user_dataset_id, source(), {
    onProgress: ({ records }) => {
      if (records % 50_000 !== 0) return;
      collectGarbage();
      heaps.push(process.memoryUsage().heapUsed);
    },
  });
  expect(report).toMatchObject({ sent: 500_000, succeeded: 500_000 });
  expect(heaps).toHaveLength(10);
  // Five batches of small records take about 1 MB; half a million records would take 100 MB.
  expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(20_000_000);
}, 300_000);
