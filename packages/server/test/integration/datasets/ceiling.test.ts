import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { connectTo } from '../stack/database.ts';
import { KindCaller, placeOf, recordOf, setCount } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

const ceiling = 100_000;
const columns = {
  event:
    "event_id, user_id, item_id, ts, event_type, event_value) SELECT $1, 'old-' || n, 'u' || n % 100, 'i', n, 'view', 1",
  item: "item_id, attributes) SELECT $1, 'old-' || n, '{}'",
} as const;

/** Inserts records directly, with their count: a hundred calls would do the same, slowly. */
async function fill(kind: 'event' | 'item', datasetId: string, count: number): Promise<void> {
  const { dataset_key } = await placeOf(api.db, datasetId);
  await api.rows(`INSERT INTO ${kind}s (dataset_key, ${columns[kind]} FROM generate_series(1, $2::int) n`, [
    dataset_key,
    count,
  ]);
  await setCount(api.db, datasetId, count);
}

async function rowsIn(kind: 'event' | 'item', datasetId: string): Promise<number> {
  const { dataset_key } = await placeOf(api.db, datasetId);
  const text = `SELECT count(*)::int AS rows FROM ${kind}s WHERE dataset_key = $1`;
  return (await api.rows<{ rows: number }>(text, [dataset_key]))[0]?.rows ?? 0;
}

describe.each(['event', 'item'] as const)('an %s dataset of one shard', (kind) => {
  // In order: each test continues with the dataset of the previous one.
  let dataset: string;
  let of: KindCaller;
  const records = (ids: readonly string[], fields: object = {}) =>
    ids.map((id) => recordOf(kind, id, fields));
  const numbered = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

  test.beforeAll(async () => {
    of = new KindCaller(caller, kind);
    dataset = await of.createdId();
    await fill(kind, dataset, ceiling - 500);
  });

  test('accepts exactly its last 500 records when eight writers race for them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const outcomes = [];
        for (const batch of [0, 1]) {
          const ids = numbered(`new-${writer}-${batch}`, 100);
          outcomes.push({ ids, ...(await of.upsert(dataset, records(ids))) });
        }
        return outcomes;
      }),
    );
    const all = answers.flat();
    expect(all.every(({ status }) => status === 200)).toBe(true);
    // Every record is reported once, as written or as failed, and for one reason only.
    for (const { ids, body } of all) expect([...body.succeed_ids, ...body.failed_ids]).toEqual(ids);
    expect(all.flatMap(({ body }) => body.succeed_ids)).toHaveLength(500);
    expect(new Set(all.flatMap(({ body }) => body.failures.map(({ code }) => code)))).toEqual(
      new Set(['DATASET_FULL']),
    );
    expect(await of.count(dataset)).toBe(ceiling);
    expect(await rowsIn(kind, dataset)).toBe(ceiling);
  });

  test('refuses new records when full, and updates existing ones', async () => {
    const refused = await of.upsert(dataset, records(['brand-new']));
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({
      succeed_ids: [],
      failed_ids: ['brand-new'],
      failures: [{ index: 0, id: 'brand-new', code: 'DATASET_FULL' }],
    });
    const attributes = { changed: 'yes' };
    const known = numbered('old', 1001).slice(1);
    expect((await of.upsert(dataset, records(known, { attributes }))).body.succeed_ids).toEqual(known);
    const text = `SELECT count(*)::int AS changed FROM ${kind}s WHERE attributes = $1`;
    expect(await api.rows(text, [attributes])).toEqual([{ changed: 1000 }]);
    expect(await of.count(dataset)).toBe(ceiling);
  });

  test('a delete makes room, which goes to the first new records of a call, in order', async () => {
    await makeRoom(3);
    expect(await of.count(dataset)).toBe(ceiling - 3);
    const ids = ['a-1', 'old-50', 'a-2', 'a-1', 'old-51', 'a-3', 'a-4', 'old-52', 'a-5'];
    const { body } = await of.upsert(dataset, records(ids));
    // The second a-1 counts, so it comes after a-2.
    expect(body.succeed_ids).toEqual(['old-50', 'a-2', 'a-1', 'old-51', 'a-3', 'old-52']);
    expect(body.failures.map(({ index, id, code }) => ({ index, id, code }))).toEqual([
      { index: 6, id: 'a-4', code: 'DATASET_FULL' },
      { index: 8, id: 'a-5', code: 'DATASET_FULL' },
    ]);
    expect(await of.count(dataset)).toBe(ceiling);
    expect(await rowsIn(kind, dataset)).toBe(ceiling);
  });

  test('an invalid record takes no room from a valid one', async () => {
    await makeRoom(1);
    const unsound = recordOf(kind, 'b-1', { nonsense: true });
    const { body } = await of.upsert(dataset, [unsound, ...records(['b-2', 'b-3'])]);
    expect(body.succeed_ids).toEqual(['b-2']);
    expect(body.failures.map(({ code }) => code)).toEqual(['FIELD_INVALID', 'DATASET_FULL']);
    expect(await of.count(dataset)).toBe(ceiling);
  });

  // After those that the tests above have changed.
  let deleted = 5000;
  async function makeRoom(count: number): Promise<void> {
    if (kind === 'item') {
      const ids = Array.from({ length: count }, () => `old-${++deleted}`);
      await caller.call('deleteDatasetItems', { item_dataset_id: dataset, ids });
      return;
    }
    // Event old-n has time n.
    const start_ts = deleted + 1;
    deleted += count;
    await caller.call('deleteDatasetEventsBeforeTs', {
      event_dataset_id: dataset,
      start_ts,
      ts: deleted + 1,
    });
  }
});

describe.each(['event', 'item'] as const)('two writers of an %s dataset of one shard', (kind) => {
  const holdRow = async (datasetId: string, id: string): Promise<() => Promise<void>> => {
    const { dataset_key } = await placeOf(api.db, datasetId);
    const holder = await connectTo(api.databaseUrl);
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM ${kind}s WHERE dataset_key = $1 AND ${kind}_id = $2 FOR UPDATE`, [
      dataset_key,
      id,
    ]);
    return async () => {
      await holder.query('COMMIT');
      await holder.end();
    };
  };
  const isAnyWaiting = async () => {
    const text =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    expect(await api.rows(text)).not.toHaveLength(0);
  };

  test('run concurrently while there is room for both', async () => {
    const of = new KindCaller(caller, kind);
    const dataset = await of.createdId();
    await fill(kind, dataset, ceiling - 3000);
    const release = await holdRow(dataset, 'old-1');
    const first = of.upsert(dataset, [recordOf(kind, 'old-1', { attributes: { new: true } })]);
    await vi.waitFor(isAnyWaiting, { timeout: 10_000 });
    const second = await Promise.race([of.upsert(dataset, [recordOf(kind, 'new')]), sleep(3000, 'waits')]);
    await release();
    expect(second).toMatchObject({ status: 200, body: { succeed_ids: ['new'] } });
    expect((await first).status).toBe(200);
  });

  test('run one after the other when there may not be', async () => {
    const of = new KindCaller(caller, kind);
    const dataset = await of.createdId();
    await fill(kind, dataset, ceiling - 1500);
    const release = await holdRow(dataset, 'old-1');
    const ids = (prefix: string) => Array.from({ length: 999 }, (_, n) => `${prefix}-${n}`);
    const batch = (prefix: string) =>
      ['old-1', ...ids(prefix)].map((id) => recordOf(kind, id, { attributes: { by: prefix } }));
    const first = of.upsert(dataset, batch('a'));
    await vi.waitFor(isAnyWaiting, { timeout: 10_000 });
    const second = of.upsert(dataset, batch('b'));
    expect(await Promise.race([second, sleep(300, 'waits')])).toBe('waits');
    await release();
    const written = [...(await first).body.succeed_ids, ...(await second).body.succeed_ids];
    // Both wrote old-1, and 1500 new records together.
    expect(written).toHaveLength(1502);
    expect(await of.count(dataset)).toBe(ceiling);
    expect(await rowsIn(kind, dataset)).toBe(ceiling);
  });
});

test('a dataset of two shards holds 200,000 records, whichever shard they are in', async () => {
  const of = new KindCaller(caller, 'item');
  const dataset = await of.createdId({ num_shards: 2 });
  await fill('item', dataset, 2 * ceiling - 1);
  const { body } = await of.upsert(dataset, [recordOf('item', 'last'), recordOf('item', 'over')]);
  expect(body).toMatchObject({ succeed_ids: ['last'], failed_ids: ['over'] });
  expect(await of.count(dataset)).toBe(2 * ceiling);
});
