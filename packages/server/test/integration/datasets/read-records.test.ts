import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { watchLoop } from '../../watch-loop.ts';
import { KindCaller, kinds, namesOf, placeOf, recordOf, recordsOf, setCount } from '../stack/kinds.ts';
import { api, caller, invalid, problem, test } from '../stack/stack.ts';

const of = (kind: (typeof kinds)[number]) => new KindCaller(caller, kind);

describe('a sample of a list', () => {
  test.each([3000, 12_000])(
    'of %i users is random, without repeats, and reaches all of them',
    async (size) => {
      const { user_dataset_id } = await caller.call('createUserDataset', { name: 'many', num_shards: 1 });
      const { dataset_key } = await placeOf(api.db, user_dataset_id);
      await api.rows(
        `INSERT INTO users (dataset_key, user_id, attributes) SELECT $1, 'u' || n, '{"age": 1}' FROM generate_series(1, $2::int) n`,
        [dataset_key, size],
      );
      await setCount(api.db, user_dataset_id, size);
      const third = (id: string) => Math.floor((3 * (Number(id.slice(1)) - 1)) / size);
      const reached = new Set<number>();
      const drawn = new Set<string>();
      for (let times = 0; times < 8; times++) {
        const request = { user_dataset_id, sample: 20 };
        const { users, next_page_token } = await caller.call('listDatasetUsers', request);
        const ids = users.map(({ user_id }) => user_id);
        expect({ unique: new Set(ids).size, next_page_token }).toEqual({ unique: 20, next_page_token: null });
        expect(users[0]?.attributes).toEqual({ age: 1 });
        for (const id of ids) reached.add(third(id));
        for (const id of ids) drawn.add(id);
      }
      expect([...reached].toSorted()).toEqual([0, 1, 2]);
      expect(drawn.size).toBeGreaterThan(60);
    },
  );

  test('of a small dataset is all of it, and takes no other field of a list', async () => {
    const { user_dataset_id } = await caller.call('createUserDataset', { name: 'few', num_shards: 1 });
    const users = ['a', 'b', 'c'].map((user_id) => ({ user_id, attributes: {} }));
    await caller.call('upsertDatasetUsers', { user_dataset_id, users });
    const { users: found } = await caller.call('listDatasetUsers', { user_dataset_id, sample: 20 });
    expect(found.map(({ user_id }) => user_id).toSorted()).toEqual(['a', 'b', 'c']);
    const more = { user_dataset_id, sample: 2, id_prefix: 'a' };
    expect(await caller.ask('listDatasetUsers', more)).toMatchObject(invalid('id_prefix'));
  });
});

type Records = Record<string, unknown>[];
interface Page {
  readonly next_page_token: string | null;
  readonly message: string | null;
}

/** All pages of a list of records. */
async function readAll(
  kind: (typeof kinds)[number],
  request: object,
): Promise<{ pages: Records[]; all: Records }> {
  const { listRecords, records } = namesOf[kind];
  const pages: Records[] = [];
  let page_token: string | null = null;
  do {
    const page = page_token === null ? request : { ...request, page_token };
    const { status, body } = await caller.ask(listRecords, page);
    expect({ status, detail: body.detail }).toEqual({ status: 200, detail: undefined });
    pages.push((body as unknown as Record<string, Records>)[records] ?? []);
    ({ next_page_token: page_token } = body as unknown as Page);
  } while (page_token !== null);
  return { pages, all: pages.flat() };
}

const awkward = [
  'a',
  'A',
  'a ',
  ' a',
  'a+b',
  'a&b=c',
  'a%2Fb',
  '100%',
  'a_b',
  'é',
  'e\u0301',
  "'",
  '"',
  '\\',
  '🎵',
  '__proto__',
  '5',
  '05',
  'null',
];
const values = {
  text: 'a\nb "c" \\ \u2028 é 🎵',
  list: ['x', 1, true],
  number: 1.5e-7,
  large: 1e300,
  no: false,
  '\\': 1,
  __proto__x: 'y',
};

describe.each(kinds)('a stored %s', (kind) => {
  const names = namesOf[kind];
  const get = (dataset: string, id: string) =>
    caller.ask(names.getRecord, { [names.datasetId]: dataset, [names.id]: id });

  test('is returned as it was sent, with any legal ID, and can be sent back', async () => {
    const dataset = await of(kind).createdId();
    const attributes = kind === 'event' ? { ...values, deep: { a: [{ b: null }] } } : values;
    const sent = awkward.map((id) =>
      recordOf(kind, id, {
        attributes: { ...attributes, id },
        ...(kind === 'event' && { event_value: 2.5 }),
      }),
    );
    expect((await of(kind).upsert(dataset, sent)).body.failed_count).toBe(0);
    const version = `SELECT count(*)::int AS n, max(xmin::text) AS version FROM ${kind}s`;
    const versions = await api.rows(version);
    for (const record of sent) {
      const { status, body, headers } = await get(dataset, record[names.id] as string);
      expect({ status, body }).toEqual({ status: 200, body: record });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect((await of(kind).upsert(dataset, [body])).body.failed_count).toBe(0);
    }
    // Nothing was written: what was sent back is what is stored.
    expect(await api.rows(version)).toEqual(versions);
  });

  test('has all fields, with their defaults', async () => {
    const dataset = await of(kind).createdId();
    await of(kind).upsert(dataset, [recordOf(kind, 'plain')]);
    expect((await get(dataset, 'plain')).body).toEqual(
      recordOf(kind, 'plain', { attributes: {}, ...(kind === 'event' && { event_value: 1 }) }),
    );
  });

  test('shows what MERGE kept, set and removed', async () => {
    const dataset = await of(kind).createdId();
    await of(kind).upsert(dataset, [recordOf(kind, 'x', { attributes: { kept: 1, changed: 1, gone: 1 } })]);
    await of(kind).upsert(
      dataset,
      [recordOf(kind, 'x', { attributes: { changed: 2, gone: null, more: 'y' } })],
      { mode: 'MERGE' },
    );
    expect((await get(dataset, 'x')).body).toMatchObject({ attributes: { kept: 1, changed: 2, more: 'y' } });
  });

  test('is not found under another ID, in another dataset, or after its deletion', async () => {
    const [dataset, other] = [await of(kind).createdId(), await of(kind).createdId()];
    await of(kind).upsert(dataset, [recordOf(kind, 'x')]);
    for (const [where, id] of [
      [dataset, 'y'],
      [dataset, 'X'],
      [dataset, 'x%'],
      [other, 'x'],
    ] as const)
      expect(await get(where, id)).toMatchObject(problem(404, 'NOT_FOUND'));
    await of(kind).remove(dataset);
    expect(await get(dataset, 'x')).toMatchObject(problem(404, 'NOT_FOUND'));
  });
});

describe.each(['user', 'item'] as const)('a list of %ss', (kind) => {
  const id = `${kind}_id`;
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const idsOf = (records: Records) => records.map((record) => record[id]);

  test('has every record once, in byte order, in pages of any size', async () => {
    const dataset = await of(kind).createdId();
    const ids = [...awkward, '\u{10ffff}', '\u{10ffff}'.repeat(256), 'x'.repeat(256)];
    await of(kind).upsert(
      dataset,
      ids.map((each) => recordOf(kind, each, { attributes: { was: each } })),
    );
    const inOrder = ids.toSorted(byBytes);
    for (const page_size of [1, 2, 7, ids.length - 1, ids.length, 1000]) {
      const { pages, all } = await readAll(kind, { [`${kind}_dataset_id`]: dataset, page_size });
      expect(idsOf(all)).toEqual(inOrder);
      expect(pages).toHaveLength(Math.ceil(ids.length / page_size));
    }
    const { pages, all } = await readAll(kind, { [`${kind}_dataset_id`]: dataset });
    expect(pages).toHaveLength(1);
    expect(all).toEqual(inOrder.map((each) => recordOf(kind, each, { attributes: { was: each } })));
  });

  test('can be limited to a prefix, in which no character is special', async () => {
    const dataset = await of(kind).createdId();
    const ids = [
      'a',
      'ab',
      'abc',
      'b',
      'a%',
      'a%b',
      'a_',
      'a_b',
      'axb',
      'a\\',
      'a\\b',
      'A',
      'é',
      'éa',
      '\ud7ff',
      '\ud7ffx',
      '\ue000',
      '\u{10ffff}',
      '\u{10ffff}\u{10ffff}z',
    ];
    await of(kind).upsert(dataset, recordsOf(kind, ids));
    for (const id_prefix of [...ids, 'zz', 'abcd'])
      for (const page_size of [1, 1000]) {
        const { all } = await readAll(kind, { [`${kind}_dataset_id`]: dataset, id_prefix, page_size });
        expect(idsOf(all)).toEqual(ids.filter((each) => each.startsWith(id_prefix)).toSorted(byBytes));
      }
  });

  test('continues correctly when records are written and deleted meanwhile', async () => {
    const dataset = await of(kind).createdId();
    await of(kind).upsert(dataset, recordsOf(kind, ['b', 'd', 'f', 'h']));
    const { listRecords } = namesOf[kind];
    const request = { [`${kind}_dataset_id`]: dataset };
    const { body } = await caller.ask(listRecords, { ...request, page_size: 2 });
    const { next_page_token: page_token } = body;
    await of(kind).upsert(dataset, recordsOf(kind, ['a', 'c', 'e', 'z']));
    const ids = ['d', 'f'];
    if (kind === 'user') await caller.call('deleteDatasetUsers', { user_dataset_id: dataset, ids });
    else await caller.call('deleteDatasetItems', { item_dataset_id: dataset, ids });
    const rest = await caller.ask(listRecords, { ...request, page_token });
    const records = (rest.body as unknown as Record<string, Records>)[`${kind}s`] ?? [];
    expect(idsOf(records)).toEqual(['e', 'h', 'z']);
  });

  test('ends a page at 4 MiB, without blocking other calls', async () => {
    const dataset = await of(kind).createdId();
    // As many brackets and commas as fit: what costs most to parse and to write.
    const numbers = Array.from({ length: 100_000 }, (_, n) => n % 10);
    const large = Array.from({ length: 30 }, (_, n) =>
      recordOf(kind, `large-${n}`, { attributes: { numbers } }),
    );
    for (let from = 0; from < large.length; from += 10)
      await of(kind).upsert(dataset, large.slice(from, from + 10));
    const headers = await caller.headers();
    const url = `${api.baseUrl}/list-dataset-${kind}s?${kind}_dataset_id=${dataset}`;
    const { result, worstMs } = await watchLoop(async () => {
      const response = await fetch(url, { headers });
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
      return bytes;
    });
    expect(result).toBeGreaterThan(limits.listBytes);
    expect(result).toBeLessThan(limits.listBytes + 2 * limits.userOrItemBytes);
    expect(worstMs).toBeLessThan(20);
    const { body } = await caller.ask(namesOf[kind].listRecords, { [`${kind}_dataset_id`]: dataset });
    expect(typeof body.message).toBe('string');
    const { pages, all } = await readAll(kind, { [`${kind}_dataset_id`]: dataset });
    expect(all).toHaveLength(30);
    expect(pages).toHaveLength(3);
  });
});

describe("a list of a user's events", () => {
  const event = (event_id: string, ts: number, fields: object = {}) =>
    recordOf('event', event_id, { ts, event_value: 1, attributes: {}, ...fields });

  test('is ordered newest first, and is complete in pages of any size, also with equal times', async () => {
    const dataset = await of('event').createdId();
    const events = Array.from({ length: 60 }, (_, n) =>
      event(`e${n}`, Math.floor(n / 20), { item_id: `i${n % 3}`, event_type: n % 2 ? 'view' : 'buy' }),
    );
    await of('event').upsert(dataset, [
      ...events,
      event('other', 1, { user_id: 'u2' }),
      event('less', 1, { user_id: 'U' }),
    ]);
    const order = (a: Record<string, unknown>, b: Record<string, unknown>) => {
      if (a['ts'] !== b['ts']) return (b['ts'] as number) - (a['ts'] as number);
      const rest = (one: Record<string, unknown>) =>
        ['item_id', 'event_type', 'event_id'].map((field) => one[field] as string).join('\u0001');
      return rest(a) < rest(b) ? -1 : 1;
    };
    const inOrder = events.toSorted(order);
    const request = { event_dataset_id: dataset, user_id: 'u' };
    for (const page_size of [1, 7, 59, 60, 1000]) {
      const { pages, all } = await readAll('event', { ...request, page_size });
      expect(all).toEqual(inOrder);
      expect(pages).toHaveLength(Math.ceil(60 / page_size));
      const views = await readAll('event', { ...request, page_size, event_type: 'view' });
      expect(views.all).toEqual(inOrder.filter(({ event_type }) => event_type === 'view'));
    }
    expect((await readAll('event', { ...request, user_id: 'nobody' })).all).toEqual([]);
  });

  test('has the events from since_ts to before until_ts', async () => {
    const dataset = await of('event').createdId();
    const times = [0, 1, 999, 1000, 1001, 2000, 1_700_000_000_000];
    await of('event').upsert(
      dataset,
      times.map((ts) => event(`at-${ts}`, ts)),
    );
    const request = { event_dataset_id: dataset, user_id: 'u' };
    for (const since_ts of [undefined, 0, 1, 1000, limits.tsMax])
      for (const until_ts of [undefined, 0, 1, 1001, limits.tsMax])
        for (const page_size of [1, 100]) {
          const bounds = {
            ...(since_ts !== undefined && { since_ts }),
            ...(until_ts !== undefined && { until_ts }),
          };
          const { all } = await readAll('event', { ...request, ...bounds, page_size });
          expect(all.map(({ ts }) => ts)).toEqual(
            times
              .filter((ts) => ts >= (since_ts ?? 0) && (until_ts === undefined || ts < until_ts))
              .toReversed(),
          );
        }
  });

  test('has IDs of any length and width in its page tokens', async () => {
    const dataset = await of('event').createdId();
    const widest = { user_id: '𝄞'.repeat(256), item_id: '𝄞'.repeat(256), event_type: '𝄞'.repeat(100) };
    const events = ['a', 'b', 'c'].map((last) => event('𝄞'.repeat(599) + last, 5, widest));
    await of('event').upsert(dataset, events);
    const request = { event_dataset_id: dataset, user_id: widest.user_id, page_size: 1 };
    const { pages } = await readAll('event', request);
    expect(pages.flat()).toEqual(events);
    expect(pages).toHaveLength(3);
  });

  test('requires a user', async () => {
    const dataset = await of('event').createdId();
    const request = { event_dataset_id: dataset };
    expect(await caller.ask('listDatasetEvents', request)).toMatchObject(invalid('user_id'));
  });
});

describe('a page token of records', () => {
  test('is valid only for its account, dataset and user', async () => {
    const [dataset, other] = [await of('event').createdId(), await of('event').createdId()];
    await of('event').upsert(dataset, [recordOf('event', 'a'), recordOf('event', 'b')]);
    const list = { event_dataset_id: dataset, user_id: 'u' };
    const { next_page_token } = await caller.call('listDatasetEvents', { ...list, page_size: 1 });
    const page_token = next_page_token ?? '';
    for (const change of [{ event_dataset_id: other }, { user_id: 'v' }])
      expect(await caller.ask('listDatasetEvents', { ...list, ...change, page_token })).toMatchObject(
        invalid('page_token'),
      );
    const stranger = await api.newCaller();
    expect((await stranger.ask('listDatasetEvents', { ...list, page_token })).status).toBe(404);
  });
});
