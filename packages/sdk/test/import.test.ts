import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type EventRecord, ImportError, type ImportFailure, NotFoundError } from '../src/index.ts';
import {
  connect,
  FakeClock,
  jobRef,
  problem,
  type ReceivedRequest,
  server,
  serverPerTest,
} from './fake-server.ts';

serverPerTest((fake) => {
  fake.operation = (received) => ({ body: written(received) });
});

const event = (index: number, fields: Partial<EventRecord> = {}): EventRecord => ({
  event_id: `e${index}`,
  user_id: 'u',
  item_id: 'i',
  ts: index,
  event_type: 'read',
  ...fields,
});
const events = (count: number) => Array.from({ length: count }, (_, index) => event(index));
const sentIn = ({ body }: ReceivedRequest) => (JSON.parse(body) as { events: EventRecord[] }).events;

/** Responds as the service does: the last record with an ID wins, and a negative time is rejected. */
function written(received: ReceivedRequest) {
  const records = sentIn(received);
  const last = new Map(records.map(({ event_id }, index) => [event_id, index]));
  const counted = [...last].map(([id, index]) => ({ id, index, ok: (records[index]?.ts ?? 0) >= 0 }));
  return {
    event_dataset_id: 'eds_1',
    succeed_ids: counted.filter(({ ok }) => ok).map(({ id }) => id),
    failed_ids: counted.filter(({ ok }) => !ok).map(({ id }) => id),
    failed_count: counted.filter(({ ok }) => !ok).length,
    failures: counted
      .filter(({ ok }) => !ok)
      .map(({ id, index }) => ({ index, id, code: 'FIELD_INVALID', message: 'ts must be >= 0' })),
  };
}

test('sends the mode of the options, and none by default', async () => {
  const modes = () => server.calls.map(({ body }) => (JSON.parse(body) as { mode?: string }).mode);
  await connect(server).importEvents('eds_1', events(1));
  await connect(server).importEvents('eds_1', [{ event_id: 'e', event_value: 2 }], { mode: 'MERGE' });
  expect(modes()).toEqual([undefined, 'MERGE']);
});

test.each([0, 1, 999, 1000, 1001, 4321])(
  'sends %i records once, with at maxInFlight 1000 per call',
  async (count) => {
    const report = await connect(server).importEvents('eds_1', events(count));
    expect(report).toEqual({ sent: count, succeeded: count, failed: 0, replaced: 0 });
    const batches = server.calls.map(sentIn);
    expect(batches).toHaveLength(Math.ceil(count / 1000));
    expect(Math.max(0, ...batches.map((batch) => batch.length))).toBeLessThanOrEqual(1000);
    expect(batches.flat().toSorted((a, b) => a.ts - b.ts)).toEqual(events(count));
  },
);

test('an async source can yield arrays of records', async () => {
  const all = events(2500);
  async function* pages() {
    yield all.slice(0, 1700);
    yield all.slice(1700, 1701);
    yield [];
    yield* all.slice(1701);
  }
  const indexes: number[] = [];
  const options = { concurrency: 1, onAcknowledged: (records: number) => void indexes.push(records) };
  const report = await connect(server).importEvents('eds_1', pages(), options);
  expect(report).toMatchObject({ sent: 2500, succeeded: 2500 });
  expect(indexes).toEqual([1000, 2000, 2500]);
  expect(server.calls.map(sentIn).flat()).toEqual(all);
});

test('users and items use their own operations', async () => {
  const client = connect(server);
  server.operation = () => ({ body: { succeed_ids: ['a'], failed_ids: [], failed_count: 0, failures: [] } });
  await client.importUsers('uds_1', [{ user_id: 'a' }]);
  await client.importItems('ids_1', new Set([{ item_id: 'a' }]));
  expect(server.calls.map(({ path, body }) => [path, JSON.parse(body) as unknown])).toEqual([
    ['/upsert-dataset-users', { user_dataset_id: 'uds_1', users: [{ user_id: 'a' }] }],
    ['/upsert-dataset-items', { item_dataset_id: 'ids_1', items: [{ item_id: 'a' }] }],
  ]);
});

test('keeps the body of a call under 4 MiB', async () => {
  // Three bytes per character in UTF-8.
  const attributes = { text: '語'.repeat(6_000) };
  const large = Array.from({ length: 700 }, (_, index) => event(index, { attributes }));
  await connect(server).importEvents('eds_1', large);
  for (const { body } of server.calls) expect(Buffer.byteLength(body)).toBeLessThan(4.1 * 1024 * 1024);
  expect(server.calls.map(sentIn).flat()).toHaveLength(700);
});

test('has at maxInFlight `concurrency` calls in flight, and reads one batch ahead', async () => {
  const answers: (() => void)[] = [];
  server.operation = async (received) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return { body: written(received) };
  };
  let read = 0;
  const source = function* () {
    for (const record of events(10_000)) {
      read += 1;
      yield record;
    }
  };
  const importing = connect(server).importEvents('eds_1', source(), { concurrency: 3 });
  await expect.poll(() => answers.length).toBe(3);
  await sleep(100);
  expect([answers.length, read]).toEqual([3, 4000]);
  answers.shift()?.();
  await expect.poll(() => read).toBe(5000);
  const answering = setInterval(() => answers.shift()?.(), 1);
  await importing;
  clearInterval(answering);
});

test('the last record with an ID wins, while other batches are sent concurrently', async () => {
  let inFlight = 0;
  let maxInFlight = 0;
  const state = new Map<string, number>();
  server.operation = async (received, nth) => {
    maxInFlight = Math.max(maxInFlight, ++inFlight);
    // Earlier calls take longer, so without ordering the first record would win.
    await sleep(Math.max(5, 60 - nth * 10));
    for (const { event_id, ts } of sentIn(received)) state.set(event_id, ts);
    inFlight -= 1;
    return { body: written(received) };
  };
  const source = Array.from({ length: 6000 }, (_, index) =>
    event(index, { event_id: index % 1500 === 0 ? 'same' : `e${index}` }),
  );
  await connect(server).importEvents('eds_1', source);
  expect(state.get('same')).toBe(4500);
  expect(maxInFlight).toBeGreaterThan(1);
});

test('counts records that a later record in the same call replaced', async () => {
  const report = await connect(server).importEvents('eds_1', [event(0), event(1), event(0, { ts: 9 })]);
  expect(report).toEqual({ sent: 3, succeeded: 2, failed: 0, replaced: 1 });
});

describe('a failed record', () => {
  const collect = async (source: Iterable<EventRecord>) => {
    const failures: ImportFailure<EventRecord>[] = [];
    const report = await connect(server).importEvents('eds_1', source, {
      onFailure: (failure) => void failures.push(failure),
    });
    return { report, failures: failures.toSorted((a, b) => a.index - b.index) };
  };

  test('is reported with its index in the source, and the others are written', async () => {
    const source = events(2500).map((record) => (record.ts % 1000 === 7 ? { ...record, ts: -1 } : record));
    const { report, failures } = await collect(source);
    expect(report).toEqual({ sent: 2500, succeeded: 2497, failed: 3, replaced: 0 });
    expect(failures.map(({ index, id }) => [index, id])).toEqual([
      [7, 'e7'],
      [1007, 'e1007'],
      [2007, 'e2007'],
    ]);
    expect(failures[1]).toMatchObject({ code: 'FIELD_INVALID', message: 'ts must be >= 0' });
    expect(failures[1]?.record).toBe(source[1007]);
  });

  test('that cannot be sent does not affect the others', async () => {
    const bad = [
      event(1, { ts: 1n as unknown as number }),
      undefined as unknown as EventRecord,
      event(3, { attributes: { text: 'x'.repeat(5_000_000) } }),
    ];
    const { report, failures } = await collect([event(0), ...bad, event(4, { ts: -1 }), event(5)]);
    expect(report).toEqual({ sent: 6, succeeded: 2, failed: 4, replaced: 0 });
    expect(failures.map(({ index, id, code }) => [index, id, code])).toEqual([
      [1, 'e1', 'FIELD_INVALID'],
      [2, undefined, 'ID_INVALID'],
      [3, 'e3', 'RECORD_TOO_LARGE'],
      [4, 'e4', 'FIELD_INVALID'],
    ]);
    expect((await collect(bad)).report).toMatchObject({ sent: 3, failed: 3 });
  });

  test('is acknowledged after onFailure has resolved', async () => {
    const seen: string[] = [];
    await connect(server).importEvents('eds_1', [event(0, { ts: -1 })], {
      onFailure: async () => {
        await sleep(50);
        seen.push('failure');
      },
      onAcknowledged: () => seen.push('acknowledged'),
    });
    expect(seen).toEqual(['failure', 'acknowledged']);
  });
});

test('progress counts acknowledged records', async () => {
  const seen: { records: number; bytes: number; perSecond: number }[] = [];
  await connect(server).importEvents('eds_1', events(3000), { onProgress: (at) => seen.push(at) });
  expect(seen.map(({ records }) => records)).toEqual([1000, 2000, 3000]);
  const bytes = events(3000).reduce((sum, record) => sum + JSON.stringify(record).length, 0);
  expect(seen.at(-1)?.bytes).toBe(bytes);
  expect(seen.at(-1)?.perSecond).toBeGreaterThan(0);
});

describe('an import that ends early', () => {
  /** Rejects the third batch; the earlier ones are slow. */
  const refuseThird = async (received: ReceivedRequest) => {
    const [first] = sentIn(received);
    if (first?.ts === 2000) return problem(404, 'NOT_FOUND');
    await sleep(50);
    return { body: written(received) };
  };
  const fail = (source: Iterable<EventRecord> | AsyncIterable<EventRecord>, options = {}) =>
    connect(server)
      .importEvents('eds_1', source, options)
      .catch((reason: unknown) => reason) as Promise<ImportError>;

  test('reports how many records from the start of the source are acknowledged', async () => {
    server.operation = refuseThird;
    const acknowledged: number[] = [];
    const failure = await fail(events(10_000), {
      onAcknowledged: (count: number) => acknowledged.push(count),
    });
    expect(failure).toBeInstanceOf(ImportError);
    expect(failure.cause).toBeInstanceOf(NotFoundError);
    // The fourth batch was in flight: it is counted, but not acknowledged.
    expect(failure).toMatchObject({ acknowledged: 2000, report: { sent: 3000, succeeded: 3000 } });

    expect(acknowledged.at(-1)).toBe(2000);
  });

  test('closes the source, and does not wait for a source that hangs', async () => {
    server.operation = refuseThird;
    let closed = false;
    const slow = async function* () {
      try {
        yield* events(3000);
        await new Promise(() => undefined);
      } finally {
        closed = true;
      }
    };
    expect(await fail(slow())).toBeInstanceOf(ImportError);
    const endless = function* () {
      try {
        for (let index = 0; ; index++) yield event(index);
      } finally {
        closed = true;
      }
    };
    expect(await fail(endless())).toMatchObject({ acknowledged: 2000 });
    expect(closed).toBe(true);
  });

  test("has the source's error as its cause, and writes the batches that were read", async () => {
    const broken = async function* () {
      yield* events(1500);
      throw new Error('disk gone');
    };
    const failure = await fail(broken());
    expect(failure).toMatchObject({ acknowledged: 1000, cause: { message: 'disk gone' } });
    expect(server.calls).toHaveLength(1);
  });

  test("has a callback's error as its cause", async () => {
    const onProgress = () => {
      throw new Error('no more');
    };
    expect(await fail(events(10), { onProgress })).toMatchObject({
      acknowledged: 10,
      cause: { message: 'no more' },
    });
  });

  test("rejects with the signal's reason after an abort, and leaves no listener", async () => {
    server.operation = () => 'hang';
    for (const source of [
      events(100_000),
      (async function* () {
        yield* events(1000);
        await new Promise(() => undefined);
      })(),
    ]) {
      const controller = new AbortController();
      const importing = connect(server).importEvents('eds_1', source, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 50);
      await expect(importing).rejects.toThrow('enough');
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    }
  });
});

test('survives an outage that a single call would not, even if it needs a token', async () => {
  const clock = new FakeClock();
  server.operation = (received, nth) => (nth < 8 ? problem(503, 'UNAVAILABLE') : { body: written(received) });
  const token = server.token;
  server.token = (received, nth) => (nth < 8 ? 'reset' : token(received, nth));
  const report = await connect(server, {}, clock).importEvents('eds_1', events(10));
  expect(report).toMatchObject({ succeeded: 10 });
});

test('rejects a concurrency of 0', async () => {
  await expect(connect(server).importEvents('eds_1', [], { concurrency: 0 })).rejects.toThrow('concurrency');
});

test('survives an outage even if a call with lower limits requested the token', async () => {
  const clock = new FakeClock();
  const token = server.token;
  server.token = (received, nth) => (nth < 8 ? 'reset' : token(received, nth));
  const client = connect(server, { scopes: 'all' }, clock);
  const hasty = client.listProjects().catch((error: unknown) => error);
  const report = await client.importEvents('eds_1', events(10));
  expect(report).toMatchObject({ succeeded: 10 });
  expect(await hasty).toBeInstanceOf(Error);
});

test('splits a batch that is too large for the service, and reports a record that is too large', async () => {
  server.operation = (received) => {
    const sent = sentIn(received);
    const isTooLarge = sent.length > 3 || sent.some(({ ts }) => ts === 5);
    return isTooLarge ? problem(413, 'BODY_TOO_LARGE') : { body: written(received) };
  };
  const failures: ImportFailure<EventRecord>[] = [];
  const report = await connect(server).importEvents(
    'eds_1',
    events(10).map((one) => (one.ts === 8 ? { ...one, ts: -1 } : one)),
    { onFailure: (failure) => void failures.push(failure) },
  );
  expect(report).toEqual({ sent: 10, succeeded: 8, failed: 2, replaced: 0 });
  expect(failures).toMatchObject([
    { index: 5, id: 'e5', code: 'RECORD_TOO_LARGE', record: { event_id: 'e5' } },
    { index: 8, id: 'e8', code: 'FIELD_INVALID', record: { event_id: 'e8' } },
  ]);
});

test('limits how far the import runs ahead of a call that hangs', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let furthest = 0;
  server.operation = async (received) => {
    const [first] = sentIn(received);
    furthest = Math.max(furthest, first?.ts ?? 0);
    if (first?.ts === 0) await held;
    return { body: written(received) };
  };
  const importing = connect(server).importEvents('eds_1', events(60_000), { concurrency: 2 });
  await expect.poll(() => furthest, { timeout: 10_000 }).toBe(31_000);
  await sleep(100);
  expect(furthest).toBe(31_000);
  release();
  expect(await importing).toMatchObject({ succeeded: 60_000 });
});

test('releases records that are too large one by one', async () => {
  const acknowledged: number[] = [];
  const large = Array.from({ length: 3 }, (_, n) => event(n, { user_id: 'x'.repeat(5_000_000) }));
  const onAcknowledged = (records: number) => void acknowledged.push(records);
  const report = await connect(server).importEvents('eds_1', [...large, event(4)], { onAcknowledged });
  expect(report).toMatchObject({ succeeded: 1, failed: 3 });
  expect(acknowledged).toEqual([1, 2, 3, 4]);
});

test('rejects invalid limits', async () => {
  await expect(connect(server).importEvents('eds_1', [], { timeoutMs: -1 })).rejects.toThrow(TypeError);
  await expect(connect(server).importEvents('eds_1', [], { maxRetries: -1 })).rejects.toThrow(TypeError);
  await expect(connect(server).waitForJob(jobRef, { timeoutMs: Number.NaN })).rejects.toThrow(TypeError);
});
