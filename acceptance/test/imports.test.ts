import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type EventRecord, type ImportError, Tastegraph, TimeoutError } from '@tastegraph/sdk';
import { expect, inject, test } from 'vitest';
import { type Mishap, openUnsteadyWay } from './unsteady-way.ts';

const place = { baseUrl: inject('baseUrl'), apiKey: inject('apiKey'), apiSecret: inject('apiSecret') };
const client = new Tastegraph(place);

const cuts: Mishap[] = ['cut before', 'cut in the middle', 'cut before the answer', 'cut in the answer'];

const event = (index: number, ts: number): EventRecord => ({
  ...{
    event_id: `e${index}`,
    user_id: `u${index % 1000}`,
    item_id: `i${index % 77}`,
    ts,
    event_type: 'watch',
  },
});

function* events(count: number, from = 0) {
  for (let index = from; index < count; index++) yield event(index, 1_700_000_000_000 + index);
}

const createDataset = async (name: string) =>
  (await client.createEventDataset({ name, num_shards: 10 })).event_dataset_id;
const countOf = async (event_dataset_id: string) =>
  (await client.getEventDataset({ event_dataset_id })).record_count;

test('50,000 events on a way that cuts, delays, doubles and refuses: each is written, once', async () => {
  const event_dataset_id = await createDataset('by an unsteady way');
  await using way = await openUnsteadyWay(place.baseUrl, [...cuts, 'late', 'twice', 'unavailable'], 0.4);
  const acknowledged: number[] = [];
  const report = await new Tastegraph({ ...place, baseUrl: way.baseUrl }).importEvents(
    event_dataset_id,
    events(50_000),
    { onAcknowledged: (count) => acknowledged.push(count) },
  );
  expect(report).toEqual({ sent: 50_000, succeeded: 50_000, failed: 0, replaced: 0 });
  expect(await countOf(event_dataset_id)).toBe(50_000);
  expect(acknowledged).toEqual(acknowledged.toSorted((a, b) => a - b));
  expect(acknowledged.at(-1)).toBe(50_000);
  expect(way.mishaps.size).toBeGreaterThanOrEqual(5);
  // Two would be the token and fifty the batches if nothing had happened.
  expect(way.requests).toBeGreaterThan(60);
}, 120_000);

test('records that come twice end as the later one, whatever is cut', async () => {
  const event_dataset_id = await createDataset('twice');
  await using way = await openUnsteadyWay(place.baseUrl, cuts, 0.3);
  const twice = function* () {
    for (let block = 0; block < 10; block++)
      for (const ts of [1, 1_900_000_000_000])
        for (let index = 0; index < 1500; index++) yield event(block * 1500 + index, ts);
  };
  await new Tastegraph({ ...place, baseUrl: way.baseUrl }).importEvents(event_dataset_id, twice());
  expect(way.mishaps.size).toBeGreaterThan(0);
  // What still had the earlier time would be gone.
  await client.deleteDatasetEventsBeforeTs({ event_dataset_id, ts: 1_800_000_000_000 });
  expect(await countOf(event_dataset_id)).toBe(15_000);
}, 120_000);

test('an import that a failure ended goes on from what is acknowledged', async () => {
  const event_dataset_id = await createDataset('in two goes');
  const total = 20_000;
  const failure = await (async () => {
    await using way = await openUnsteadyWay(place.baseUrl, [], 0);
    const options = {
      maxRetries: 1,
      onAcknowledged: (count: number) => void (count >= 5000 && way[Symbol.asyncDispose]()),
    };
    return (await new Tastegraph({ ...place, baseUrl: way.baseUrl })
      .importEvents(event_dataset_id, events(total), options)
      .catch((reason: unknown) => reason)) as ImportError;
  })();
  expect(failure).toMatchObject({ name: 'ImportError', cause: { name: 'ConnectionError' } });
  expect(failure.acknowledged).toBeGreaterThanOrEqual(5000);
  expect(await countOf(event_dataset_id)).toBeGreaterThanOrEqual(failure.acknowledged);
  await client.importEvents(event_dataset_id, events(total, failure.acknowledged));
  expect(await countOf(event_dataset_id)).toBe(total);
});

test('tokens that expire or are refused on the way are renewed', async () => {
  const event_dataset_id = await createDataset('for hours');
  let tokens = 0;
  let calls = 0;
  const spoiling: typeof fetch = (input, init) => {
    if (input === `${place.baseUrl}/oauth/token`) tokens += 1;
    else if (++calls % 4 === 0) {
      const headers = new Headers(init?.headers);
      headers.set('authorization', `${headers.get('authorization')}spoilt`);
      return fetch(input, { ...init, headers });
    }
    return fetch(input, init);
  };
  // Ten minutes pass with each batch.
  let ahead = 0;
  const clock = {
    now: () => Date.now() + ahead,
    random: Math.random,
    sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
  };
  const hasty = new Tastegraph({ ...place, fetch: spoiling, timeoutMs: Infinity }, clock);
  const report = await hasty.importEvents(event_dataset_id, events(20_000), {
    concurrency: 1,
    timeoutMs: Infinity,
    onProgress: () => (ahead += 600_000),
  });
  expect(report.succeeded).toBe(20_000);
  expect(await countOf(event_dataset_id)).toBe(20_000);
  // One at first, one for each that was refused (every fourth call), and those of three hours.
  expect(tokens).toBeGreaterThan(5);
});

test('a record that is wrong is told with its place; the others are written', async () => {
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

test('an abort and a time limit end an import at once, on a way that is slow', async () => {
  const event_dataset_id = await createDataset('too slow');
  await using way = await openUnsteadyWay(place.baseUrl, ['late'], 1);
  const slow = new Tastegraph({ ...place, baseUrl: way.baseUrl });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 100);
  const started = Date.now();
  await expect(
    slow.importEvents(event_dataset_id, events(1_000_000), { signal: controller.signal }),
  ).rejects.toThrow('enough');
  expect(Date.now() - started).toBeLessThan(5_000);
  const failure = await slow
    .importEvents(event_dataset_id, events(10), { timeoutMs: 100 })
    .catch((reason: unknown) => reason);
  expect(failure).toMatchObject({ name: 'ImportError', acknowledged: 0 });
  expect((failure as ImportError).cause).toBeInstanceOf(TimeoutError);
});

test('half a million records leave the memory as it was', async () => {
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
  // Five batches of small records are about a megabyte; half a million of them are a hundred.
  expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(20_000_000);
}, 300_000);
