import { algorithmOf, seededRandom } from '@tastegraph/algorithms';
import type { EventRecord } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { readTrainingData } from '../../../src/training/read-data.ts';
import type { TrainingSource } from '../../../src/training/rows/training-rows.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture, type TrainingRecords } from '../stack/training-fixture.ts';
import { plainSnapshot, referenceRead, rowsOf } from './reference-training-read.ts';

const fixture = perFile(() => TrainingFixture.open());

async function read(source: TrainingSource, namedEventTypes: readonly string[] = [], readers = 1) {
  const client = await fixture.connect();
  try {
    const fractions: number[] = [];
    const { signal } = new AbortController();
    const onProgress = (fraction: number) => fractions.push(fraction);
    const input = await readTrainingData(client, source, {
      signal,
      onProgress,
      namedEventTypes,
      needs: algorithmOf('G1').needs,
      readers: { databaseUrl: fixture.url, count: readers, minEvents: 1, memoryAdvice: '' },
    });
    return { ...input, fractions };
  } finally {
    await client.end();
  }
}

/** The data that was read, in the format of the reference implementation. */
async function readByReference(source: TrainingSource, namedEventTypes: readonly string[] = []) {
  const { data, snapshot, itemIds, eventTypes, userCodes, itemCodes, counts, leftOut } = await read(
    source,
    namedEventTypes,
  );
  const { item, type, value, offsets, ordered } = data.events;
  return {
    itemIds,
    eventTypes,
    userCodes,
    itemCodes,
    counts,
    ordered,
    item: [...item],
    type: [...type],
    value: [...value],
    offsets: [...offsets],
    cut: leftOut.find(({ what }) => what === 'old events')?.count ?? 0,
    userAttributes: data.userAttributes && rowsOf(data.userAttributes),
    itemAttributes: data.itemAttributes && rowsOf(data.itemAttributes),
    snapshot: plainSnapshot(snapshot, itemIds, eventTypes),
  };
}

/**
 * Characters that COPY escapes, or that look like its escapes; characters of one to four bytes; and those that JSON
 * escapes.
 */
const pieces = [
  '\\',
  '\\N',
  '\\.',
  '\\t',
  "'",
  '"',
  '😀',
  '𝒳',
  'é',
  'ÿ',
  '日',
  ' ',
  'a',
  'Z',
  '{}',
  '\u2028',
  '%',
];

function randomRecords(seed: number): TrainingRecords {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const ids = (count: number) => [
    ...new Set([
      '\\N',
      '\\',
      ...Array.from({ length: count }, () =>
        Array.from({ length: 1 + below(4) }, () => one(pieces)).join(''),
      ),
    ]),
  ];
  const [userIds, itemIds] = [ids(60), ids(80)];
  const types = ['buy', ...Array.from({ length: 20 }, (_, n) => `type ${n} ${one(pieces)}`)];
  const events: EventRecord[] = Array.from({ length: 3000 }, (_, n) => ({
    event_id: `e${n}`,
    user_id: one(userIds),
    item_id: one(itemIds),
    // Few distinct times, so that many events tie.
    ts: 1_700_000_000_000 + below(20),
    event_type: types[Math.min(below(21), below(21))] as string,
    ...(random() < 0.5 ? { event_value: one([0, 0.1, 2, 1e-9, 123456.789, 5e29]) } : {}),
  }));
  const attributes = () => ({
    age: below(90),
    ...(random() < 0.7 ? { 'pl"an\\': one(['free', 'paid', 'é\\"\n', true, 7]) } : {}),
    ...(random() < 0.5 ? { tags: [one(pieces), one(pieces)], nothing: null } : {}),
    ...(random() < 0.9 ? { constructor: one(['a', 'b']), codes: [below(3), below(3)] } : {}),
    note: 'the same words',
    title: `a text of colour${below(9)}`,
    declared: below(4),
  });
  const entity = (id: string) => ({ id, attributes: random() < 0.1 ? {} : attributes() });
  return {
    // Some users and items have no events, and some events have no user or item record.
    users: [...userIds.slice(20), ...ids(20).map((id) => `more ${id}`)].map(entity),
    items: [...itemIds.slice(30), ...ids(20).map((id) => `more ${id}`)].map(entity),
    events,
  };
}

const schemas = {
  user: { declared: 'CATEGORICAL', missing: 'NUMERICAL' },
  item: { title: 'TEXT', note: 'TEXT', declared: 'CATEGORICAL' },
} as const;

describe('a training reads', () => {
  test.each([1, 2, 3])('exactly what the reference implementation reads (%i)', async (seed) => {
    const source = await fixture.newSource('buy', schemas);
    const records = randomRecords(seed);
    await fixture.fill(source, records);
    await fixture.fill(await neighbour(source), randomRecords(seed + 100));
    expect(await readByReference(source)).toEqual(referenceRead(source, records));
    const rare = records.events.find(
      ({ event_type }) => !referenceRead(source, records).eventTypes.includes(event_type),
    );
    const named = [rare?.event_type ?? '', 'never seen'];
    expect(await readByReference(source, named)).toEqual(referenceRead(source, records, named));
  });

  /** Datasets in the same tables. */
  async function neighbour(source: TrainingSource): Promise<TrainingSource> {
    const besides = async (
      table: string,
      partitions: number,
      { dataset_key, partition }: TrainingSource['users'],
    ) => {
      const [row] = await select<{ key: number }>(
        fixture.db,
        // Far from the keys of later tests.
        `SELECT key FROM generate_series($1::int + 1000000, $1::int + 1010000) key
          WHERE satisfies_hash_partition($2::regclass, $3, $4, key) LIMIT 1`,
        [dataset_key, table, partitions, partition],
      );
      return { dataset_key: row?.key ?? 0, dataset_id: 'besides', partition, attribute_schema: null };
    };
    return {
      target_event_type: 'buy',
      negative_event_types: [],
      users: await besides('users', 16, source.users),
      items: await besides('items', 16, source.items),
      events: await besides('events', 64, source.events),
    };
  }

  /** Returns the progress that was reported. */
  async function expectSameAsWithOne(source: TrainingSource, readers: number, named: readonly string[] = []) {
    const { fractions, ...input } = await read(source, named, readers);
    const { fractions: _, ...expected } = await read(source, named);
    expect(input).toEqual(expected);
    return fractions;
  }

  test.each([2, 5])('the same with %i readers at once as with one', async (readers) => {
    const source = await fixture.newSource('buy', schemas);
    await fixture.fill(source, randomRecords(6));
    await fixture.fill(await neighbour(source), randomRecords(106));
    expect((await expectSameAsWithOne(source, readers, ['never seen'])).at(-1)).toBeGreaterThan(0.98);
  });

  test('the same with several readers if one user has nearly all events', async () => {
    const source = await fixture.newSource('buy');
    const { events } = randomRecords(7);
    const two = events.map((event, n) => ({ ...event, user_id: n % 30 === 0 ? 'a' : 'b' }));
    await fixture.fill(source, { users: [], items: [], events: two });
    await expectSameAsWithOne(source, 4);
  });

  test('the same with several readers if there are more event types than can be numbered', async () => {
    const source = await fixture.newSource('buy');
    const events = Array.from({ length: 70_000 }, (_, n) => ({
      event_id: `e${n}`,
      user_id: n % 40 ? 'a' : `u${n % 400}`,
      item_id: `i${n % 7}`,
      ts: n,
      event_type: n % 40 ? `t${n}` : 'buy',
    }));
    await fixture.fill(source, { users: [], items: [], events });
    await expectSameAsWithOne(source, 2);
  });

  test('the newest 1000 events of a user, of the types that are used', async () => {
    const source = await fixture.newSource('buy');
    const event = (n: number, fields: Partial<EventRecord>): EventRecord => ({
      event_id: `e${n}`,
      user_id: 'u',
      item_id: `i${n % 7}`,
      ts: 1000 + (n >> 2),
      event_type: 'buy',
      ...fields,
    });
    const events = [
      ...Array.from({ length: 1500 }, (_, n) => event(n, {})),
      // Newer, each with its own type, so all but 15 types are left out.
      ...Array.from({ length: 60 }, (_, n) => event(2000 + n, { event_type: `t${n}`, item_id: `only ${n}` })),
      // Equal except for their values, across the cut-off.
      ...Array.from({ length: 1200 }, (_, n) =>
        event(3000 + n, { user_id: 'v', item_id: 'i', ts: 5, event_value: n % 97 }),
      ),
    ];
    const records = { users: [], items: [], events };
    await fixture.fill(source, records);
    const expected = referenceRead(source, records);
    expect(await readByReference(source)).toEqual(expected);
    expect(expected.cut).toBe(515 + 200);
    const { leftOut, data } = await read(source);
    expect(leftOut).toEqual([
      {
        what: expect.stringMatching(/^events of the types "t\d+", .* and others$/) as string,
        count: 45,
        why: expect.stringContaining('15') as string,
      },
      { what: 'old events', count: 715, why: expect.stringContaining('1000') as string },
    ]);
    expect([data.userAttributes, data.itemAttributes]).toEqual([undefined, undefined]);
  });

  test('events that are hours ahead as if they happened now, and none that are days ahead', async () => {
    const source = await fixture.newSource('buy');
    const startMs = Date.now();
    const hours = [-48, -24, 1, 23, 25, 70_000_000];
    const events = hours.map((hour, n) => ({
      event_id: `e${n}`,
      user_id: `u${n % 2}`,
      item_id: `i${n}`,
      ts: startMs + hour * 3_600_000,
      event_type: 'buy',
    }));
    await fixture.fill(source, { users: [], items: [], events });
    const { counts, data, itemIds } = await read(source);
    expect(itemIds.toSorted()).toEqual(['i0', 'i1', 'i2', 'i3']);
    expect(counts.newestEventTs).toBeGreaterThanOrEqual(startMs);
    expect(counts.newestEventTs).toBeLessThanOrEqual(Date.now());
    expect(Math.max(...(data.events.time ?? []))).toBeLessThanOrEqual(Date.now() / 60_000);
  });

  test('and reports the attributes that it leaves out, and its progress', async () => {
    const source = await fixture.newSource('buy', schemas);
    await fixture.fill(source, randomRecords(4));
    const { leftOut, fractions } = await read(source);
    expect(leftOut.map(({ what }) => what)).toContain('item attribute "note"');
    expect(fractions.at(-1)).toBeGreaterThan(0.98);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  });

  test('into arrays that threads can share, and without order if all events have one time', async () => {
    const source = await fixture.newSource('buy');
    const { events } = randomRecords(5);
    await fixture.fill(source, {
      users: [],
      items: [],
      events: events.map((event) => ({ ...event, ts: 1 })),
    });
    const { data } = await read(source);
    expect(data.events.ordered).toBe(false);
    for (const column of [data.events.offsets, data.events.item, data.events.type, data.events.value])
      expect(column.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe('a training that is impossible fails with a reason', () => {
  const few = (fields: (n: number) => Partial<EventRecord>): TrainingRecords => ({
    users: [],
    items: [],
    events: Array.from({ length: 1200 }, (_, n) => ({
      event_id: `e${n}`,
      user_id: `u${n % 10}`,
      item_id: `i${n % 9}`,
      ts: n,
      event_type: n % 4 ? 'view' : 'cart',
      ...fields(n),
    })),
  });

  test.each([
    ['NO_TARGET_EVENTS', 'without events', { users: [], items: [], events: [] }, ['ID', '"buy"']],
    [
      'NO_TARGET_EVENTS',
      'without events of the target type',
      few(() => ({})),
      ['ID', '"buy"', '"view" (900), "cart" (300)'],
    ],
    [
      'TOO_LITTLE_DATA',
      'of one user',
      few((n) => (n < 30 ? { event_type: 'buy', user_id: 'u' } : {})),
      ['ID', '1 user and 9 items'],
    ],
    [
      'TOO_LITTLE_DATA',
      'of events that weigh nothing',
      few((n) => (n < 30 ? { event_type: 'buy', event_value: 0 } : {})),
      ['ID', '0 users and 0 items'],
    ],
  ])('%s: %s', async (code, _, records, facts) => {
    const source = await fixture.newSource('buy');
    await fixture.fill(source, records);
    const error = await read(source).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ name: 'JobError', code });
    for (const fact of facts)
      expect((error as Error).message).toContain(fact.replace('ID', source.events.dataset_id));
  });
});
