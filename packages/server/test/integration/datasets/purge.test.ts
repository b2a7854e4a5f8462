import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { datasetLockKey } from '../../../src/datasets/rows/datasets.ts';
import { eventRow, upsertEvents } from '../../../src/datasets/rows/events.ts';
import { deleteRecordsAfter } from '../../../src/datasets/rows/purge.ts';
import { connectTo, openTestDatabase } from '../stack/database.ts';
import { KindCaller, kinds, placeOf, recordOf, recordsOf } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

/** What remains of a dataset anywhere in the database. */
async function tracesOf(key: number): Promise<Record<string, number>> {
  const [left] = await api.rows<Record<string, number>>(
    `SELECT (SELECT count(*) FROM events WHERE dataset_key = $1)::int AS events,
      (SELECT count(*) FROM users WHERE dataset_key = $1)::int AS users,
      (SELECT count(*) FROM items WHERE dataset_key = $1)::int AS items,
      (SELECT count(*) FROM item_changes WHERE dataset_key = $1)::int AS item_changes,
      (SELECT count(*) FROM datasets WHERE dataset_key = $1)::int AS datasets,
      (SELECT count(*) FROM dataset_counts WHERE dataset_key = $1)::int AS counts`,
    [key],
  );
  return left ?? {};
}

const nothing = { events: 0, users: 0, items: 0, item_changes: 0, datasets: 0, counts: 0 };

/** expect.poll does not know its test among concurrent ones. */
async function untilPurged(key: number): Promise<Record<string, number>> {
  const expectPurged = async () => expect(await tracesOf(key)).toMatchObject({ datasets: 0 });
  await vi.waitFor(expectPurged, { timeout: 15_000, interval: 100 });
  return tracesOf(key);
}

// Together, since the worker checks for deleted datasets every two seconds.
describe.concurrent.each(kinds)('the records of a deleted %s dataset', (kind) => {
  test('are purged in the background, also more than one step, and no others', async () => {
    const of = new KindCaller(caller, kind);
    const [doomed, kept] = [await of.createdId(), await of.createdId()];
    const batch = Array.from({ length: 1000 }, (_, n) => recordOf(kind, `id-${n}`));
    await of.upsert(kept, batch);
    await of.upsert(doomed, batch);
    const { dataset_key } = await placeOf(api.db, doomed);
    // A step is 5000 records. The API writes a thousand; these bring it to three steps.
    const id = of.names.id;
    await api.rows(
      `INSERT INTO ${of.names.records} SELECT (r).* FROM (
        SELECT jsonb_populate_record(t, jsonb_build_object('${id}', t.${id} || '-' || n)) AS r
        FROM ${of.names.records} t, generate_series(1, 10) n WHERE t.dataset_key = $1) copies`,
      [dataset_key],
    );
    expect((await tracesOf(dataset_key))[of.names.records]).toBe(11_000);
    await of.remove(doomed);
    expect(await untilPurged(dataset_key)).toEqual(nothing);
    const left = await tracesOf((await placeOf(api.db, kept)).dataset_key);
    expect(left).toMatchObject({ [of.names.records]: 1000, datasets: 1 });
    expect(await of.count(kept)).toBe(1000);
  });

  test('are all deleted even if upserts and deletes race with the delete of the dataset', async () => {
    const of = new KindCaller(caller, kind);
    const dataset = await of.createdId();
    const { dataset_key } = await placeOf(api.db, dataset);
    const batch = (writer: number) => Array.from({ length: 200 }, (_, n) => recordOf(kind, `${writer}-${n}`));
    await of.upsert(dataset, batch(0));
    const statuses: number[] = [];
    const race = async (act: () => Promise<{ status: number }>) => {
      for (let status = 200; status === 200; statuses.push(status)) ({ status } = await act());
    };
    const writers = [1, 2, 3, 4].map((writer) => race(() => of.upsert(dataset, batch(writer))));
    const deleters = [race(() => deleteSome(dataset)), race(() => deleteSome(dataset))];
    // expect.poll does not know its test among concurrent ones.
    await vi.waitUntil(() => statuses.includes(200), { timeout: 20_000 });
    const removed = await Promise.all([of.remove(dataset), of.remove(dataset)]);
    expect(removed.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    await Promise.all([...writers, ...deleters]);
    expect(new Set(statuses)).toEqual(new Set([200, 404]));
    expect(await untilPurged(dataset_key)).toEqual(nothing);
  });

  async function deleteSome(dataset: string): Promise<{ status: number }> {
    const ids = Array.from({ length: 100 }, (_, n) => `1-${n}`);
    switch (kind) {
      case 'user':
        return caller.ask('deleteDatasetUsers', { user_dataset_id: dataset, ids });
      case 'item':
        return caller.ask('deleteDatasetItems', { item_dataset_id: dataset, ids });
      case 'event':
        return caller.ask('deleteDatasetUserEvents', { event_dataset_id: dataset, user_id: 'u' });
    }
  }
});

test('the delete of a dataset waits for a write in progress, so that the purge finds its records', async () => {
  const of = new KindCaller(caller, 'event');
  const dataset = await of.createdId();
  const place = await placeOf(api.db, dataset);
  let removing: ReturnType<KindCaller['remove']> | undefined;
  await api.db.transaction(async (tx) => {
    // Like an upsert: takes the lock, finds the dataset, writes the records.
    await tx.lock(datasetLockKey(caller.accountId, dataset), 'shared');
    removing = of.remove(dataset);
    expect(await Promise.race([removing, sleep(300, 'waits')])).toBe('waits');
    await upsertEvents(tx, place, [eventRow(recordOf('event', 'late') as never)]);
  });
  expect((await removing)?.body.record_count).toBe(1);
  expect(await untilPurged(place.dataset_key)).toEqual(nothing);
});

test('a purge continues past records that another call deletes at the same moment', async () => {
  const of = new KindCaller(caller, 'event');
  const dataset = await of.createdId();
  await of.upsert(dataset, recordsOf('event', ['a', 'b', 'c', 'd']));
  const place = await placeOf(api.db, dataset);
  await using db = await openTestDatabase(api.databaseUrl, 1);
  await using other = await connectTo(api.databaseUrl);
  await other.query('BEGIN');
  const text = "DELETE FROM events WHERE dataset_key = $1 AND event_id IN ('a', 'b')";
  await other.query(text, [place.dataset_key]);
  // Selects a and b, which are still visible, and waits for the other transaction.
  const step = deleteRecordsAfter(db, place, '', 2);
  await sleep(200);
  await other.query('COMMIT');
  // If it had returned undefined, c and d would never be purged.
  expect(await step).toBe('b');
  expect(await deleteRecordsAfter(db, place, 'b', 2)).toBe('d');
  expect(await deleteRecordsAfter(db, place, 'd', 2)).toBeUndefined();
});
