import { AuthError, Tastegraph } from '@tastegraph/sdk';
import { describe, expect, test } from 'vitest';
import { chunkDeadLetters } from '../src/kafka/dead-letters.ts';
import { createEventReader, type EventPaths, UnreadableRecord } from '../src/kafka/read-event.ts';
import { findStarts } from '../src/kafka/skip-existing.ts';
import { writeEvents } from '../src/kafka/write-events.ts';
import type { Handler } from './fake-service.ts';
import { open } from './open-cli.ts';

const asIs: EventPaths = { map: new Map(), tsUnit: 'ms', eventType: undefined };

function read(value: unknown, paths: Partial<EventPaths> = {}) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const record = { topic: 'visits', partition: 2, offset: 7n, timestamp: 1_700_000_000_000n };
  return createEventReader({ ...asIs, ...paths })({ ...record, value: Buffer.from(text) });
}

describe('a record of a topic', () => {
  test('with the fields of an event is that event, without its other fields', () => {
    const event = {
      event_id: 'e1',
      user_id: 'anna',
      item_id: 'a',
      ts: 5,
      event_type: 'buy',
      event_value: 2,
      recommendation_id: 'rec_1',
      attributes: { page: 'home' },
    };
    expect(read({ ...event, session: 'x' })).toEqual(event);
  });

  test('without an ID and a time gets those of the record, and the same ones each time', () => {
    const sparse = { user_id: 1, item_id: 2 };
    const event = {
      event_id: 'visits/2/7',
      user_id: '1',
      item_id: '2',
      ts: 1_700_000_000_000,
      event_type: 'view',
    };
    expect(read(sparse, { eventType: 'view' })).toEqual(event);
    expect(read(sparse, { eventType: 'view' })).toEqual(event);
  });

  test('is read at the paths that are given', () => {
    const map = new Map([
      ['user_id', 'payload.customer.id'],
      ['item_id', 'payload.lines.0.sku'],
      ['ts', 'payload.at'],
    ]);
    const payload = { customer: { id: 'anna' }, lines: [{ sku: 'a' }], at: 1_767_607_200 };
    const event = read({ payload, user_id: 'other' }, { map, tsUnit: 's' });
    expect(event).toMatchObject({ user_id: 'anna', item_id: 'a', ts: 1_767_607_200_000 });
    const dated = { payload: { ...payload, at: '2026-01-05T10:00:00Z' } };
    expect(read(dated, { map, tsUnit: 's' })).toMatchObject({ ts: 1_767_607_200_000 });
    const missing = read({ payload: { customer: 'anna' }, user_id: 'other' }, { map });
    expect(missing).not.toHaveProperty('user_id');
  });

  test('that is no JSON object is unreadable, and an empty one is nothing', () => {
    for (const text of ['{', '[1]', 'null', '"x"', '\u0000\u0000\u0000\u0000\u0001{}'])
      expect(read(text)).toBeInstanceOf(UnreadableRecord);
    expect(read('')).toBeUndefined();
  });

  test('is not quoted in the reason why it is unreadable', () => {
    expect(JSON.stringify(read('secret'))).not.toContain('secret');
  });
});

describe('dead letters', () => {
  function chunk(...lengths: number[]) {
    const rejected = lengths.map((length, index) => ({
      record: {
        topic: 'visits',
        partition: 2,
        offset: BigInt(index),
        timestamp: 0n,
        value: Buffer.alloc(length),
      },
      code: 'FIELD_MISSING',
      message: 'user_id is missing',
    }));
    return [...chunkDeadLetters('rejected', rejected)];
  }
  const sizes = (...lengths: number[]) =>
    chunk(...lengths).map((letters) => letters.map(({ value }) => value.length));

  test('are sent in order, in chunks that a broker accepts', () => {
    expect(sizes()).toEqual([]);
    expect(sizes(200_000, 300_000, 100_000, 1)).toEqual([
      [200_000, 300_000],
      [100_000, 1],
    ]);
    expect(sizes(1, 800_000, 2)).toEqual([[1], [800_000], [2]]);
  });

  test('count their headers', () => {
    const chunks = chunk(...Array.from({ length: 10_000 }, () => 1));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flat()).toHaveLength(10_000);
  });

  test('that are too large go without their value, and say so', () => {
    const [first, second] = chunk(1_000_000, 5).flat();
    const names = (letter = first) => [...(letter?.headers.keys() ?? [])].map(String);
    expect(first?.value).toHaveLength(0);
    expect(names(first)).toContain('tastegraph.value_omitted');
    expect(second?.value).toHaveLength(5);
    expect(names(second)).not.toContain('tastegraph.value_omitted');
  });
});

test('a group starts at the end only of topics of which it has committed nothing', () => {
  const ends = new Map([
    ['new', [5n, 0n]],
    ['known', [7n, 8n]],
  ]);
  const committed = new Map([
    ['new', [-1n, -1n]],
    ['known', [0n, -1n]],
  ]);
  expect(findStarts(ends, committed)).toEqual([
    { topic: 'new', partition: 0, offset: 5n, leaderEpoch: -1 },
    { topic: 'new', partition: 1, offset: 0n, leaderEpoch: -1 },
  ]);
});

describe('writing the events of a topic', () => {
  const events = ['e1', 'bad', 'e2'].map((event_id) => ({
    event_id,
    user_id: 'anna',
    item_id: 'a',
    ts: 1,
    event_type: 'buy',
  }));
  const problem = (status: number, code: string) => ({ status, body: { status, code, detail: 'x' } });

  async function write(handler: Handler) {
    const { service } = await open(handler);
    const client = new Tastegraph({ baseUrl: service.url, writeKey: 'w', maxRetries: 0 });
    const log: string[] = [];
    const { signal } = new AbortController();
    const rejections = await writeEvents(client, 'eds_1', events, {
      signal,
      log: (text) => log.push(text),
      fullPauseMs: 10,
    });
    return { rejections, log, written: [...service.written.keys()] };
  }

  test.each([429, 500, 503])(
    'repeats a call that ends with %i until the service writes them',
    async (status) => {
      let calls = 0;
      const { rejections, written } = await write(() => {
        calls += 1;
        return calls < 3 ? problem(status, 'UNAVAILABLE') : undefined;
      });
      expect(calls).toBe(3);
      expect(written).toEqual(['e1', 'e2']);
      expect(rejections).toEqual([{ index: 1, code: 'ID_INVALID', message: 'is bad' }]);
    },
  );

  test('waits for room in a full dataset, and rejects nothing because of it', async () => {
    const sent: unknown[] = [];
    const { rejections, log } = await write(({ body }) => {
      const ids = (body['events'] as { event_id: string }[]).map(({ event_id }) => event_id);
      sent.push(ids);
      if (sent.length > 2) return { status: 200, body: { succeed_ids: ids, failed_count: 0, failures: [] } };
      const failures = [{ index: ids.length - 1, id: 'e2', code: 'DATASET_FULL', message: 'full' }];
      return { status: 200, body: { succeed_ids: ids.slice(0, -1), failed_count: 1, failures } };
    });
    expect(sent).toEqual([['e1', 'bad', 'e2'], ['e2'], ['e2']]);
    expect(rejections).toEqual([]);
    expect(log).toHaveLength(2);
  });

  test('gives up on an error that stays', async () => {
    let calls = 0;
    const writing = write(() => {
      calls += 1;
      return problem(401, 'UNAUTHENTICATED');
    });
    await expect(writing).rejects.toThrow(AuthError);
    expect(calls).toBe(1);
  });
});

describe('tastegraph consume', () => {
  const required = ['--brokers', '127.0.0.1:9', '--topics', 'visits', '--dataset', 'eds_1'];
  const env = { TASTEGRAPH_WRITE_KEY: 'w' };

  async function run(...args: string[]) {
    const { cli } = await open();
    return cli.run(['consume', ...args], { env });
  }

  test('refuses fields that an event does not have, and SASL without a password', async () => {
    expect(await run(...required, '--map', 'user=uid')).toMatchObject({ code: 2 });
    expect(await run(...required, '--sasl', 'PLAIN')).toMatchObject({ code: 2 });
    expect(await run('--brokers', '127.0.0.1:9', '--dataset', 'eds_1')).toMatchObject({ code: 2 });
  });

  test('ends if no broker answers at its start', async () => {
    expect(await run(...required, '--json')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('KAFKA_UNREACHABLE') as string,
    });
  });
});
