import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { eventRow, upsertEvents } from '../../../src/datasets/rows/events.ts';
import { KindCaller, placeOf, recordOf, recordsOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

describe.each(['user', 'item'] as const)('a delete of %ss', (kind) => {
  const of = () => new KindCaller(caller, kind);
  const ask = async (datasetId: string, ids: readonly unknown[]) =>
    kind === 'user'
      ? caller.ask('deleteDatasetUsers', { user_dataset_id: datasetId, ids })
      : caller.ask('deleteDatasetItems', { item_dataset_id: datasetId, ids });

  test('returns the records that existed, in the order of the request and each once', async () => {
    const dataset = await of().createdId();
    const ids = ['a', 'A', 'é', 'e\u0301', 'b', 'c'];
    await of().upsert(dataset, recordsOf(kind, ids));
    const { status, body } = await ask(dataset, ['é', 'nobody', 'b', 'A', 'b', 'é', 'nobody', ' b']);
    expect({ status, body }).toEqual({
      status: 200,
      body: { [of().names.datasetId]: dataset, deleted_ids: ['é', 'b', 'A'] },
    });
    expect((await storedRecords(api.db, dataset)).map(({ id }) => id)).toEqual(['a', 'c', 'e\u0301']);
    expect(await of().count(dataset)).toBe(3);
    expect((await ask(dataset, ['é', 'b', 'A'])).body.deleted_ids).toEqual([]);
    expect((await ask(dataset, [])).body.deleted_ids).toEqual([]);
    expect(await of().count(dataset)).toBe(3);
  });

  test("keeps another dataset's records with the same IDs", async () => {
    const [first, second] = [await of().createdId(), await of().createdId()];
    await of().upsert(first, [recordOf(kind, 'x')]);
    await of().upsert(second, [recordOf(kind, 'x')]);
    expect((await ask(first, ['x'])).body.deleted_ids).toEqual(['x']);
    expect(await of().count(second)).toBe(1);
  });

  test('refuses IDs that no record can have, and deletes nothing', async () => {
    const dataset = await of().createdId();
    await of().upsert(dataset, [recordOf(kind, 'x')]);
    for (const bad of ['', 'a\0', 7, null]) {
      const { status, body } = await ask(dataset, ['x', bad]);
      expect({ status, path: body.errors[0]?.path }).toEqual({ status: 400, path: 'ids.1' });
    }
    expect(await of().count(dataset)).toBe(1);
  });

  test('returns each record to only one of many concurrent deletes', async () => {
    const dataset = await of().createdId();
    const ids = Array.from({ length: 300 }, (_, n) => `id-${n}`);
    await of().upsert(dataset, recordsOf(kind, ids));
    const answers = await Promise.all(
      [ids, ids.toReversed(), ids, ids.toReversed()].map((each) => ask(dataset, each)),
    );
    expect(answers.flatMap(({ body }) => body.deleted_ids).toSorted()).toEqual(ids.toSorted());
    expect(await of().count(dataset)).toBe(0);
  });
});

const events = () => new KindCaller(caller, 'event');

/** Upserts `count` events, a thousand per call. */
async function write(dataset: string, count: number, eventOf: (n: number) => object): Promise<void> {
  const all = Array.from({ length: count }, (_, n) => recordOf('event', `e-${n}`, eventOf(n)));
  for (let from = 0; from < count; from += 1000) await events().upsert(dataset, all.slice(from, from + 1000));
}

describe("a delete of a user's events", () => {
  const ask = async (event_dataset_id: string, user_id: string) =>
    caller.ask('deleteDatasetUserEvents', { event_dataset_id, user_id });

  test("deletes them all, also more than one step, and no other user's", async () => {
    const dataset = await events().createdId();
    // Every third belongs to another user; of the user's 8000 events, 5500 have the same time.
    await write(dataset, 12_000, (n) => ({
      user_id: n % 3 === 0 ? 'other' : 'one',
      ts: n < 8250 ? 5000 : n,
    }));
    const { status, body } = await ask(dataset, 'one');
    expect({ status, body }).toEqual({ status: 200, body: { event_dataset_id: dataset, user_id: 'one' } });
    expect(await events().count(dataset)).toBe(4000);
    const left = await storedRecords(api.db, dataset, 'user_id');
    expect(left).toHaveLength(4000);
    expect(new Set(left.map((row) => row['user_id']))).toEqual(new Set(['other']));
  });

  test('compares user IDs by bytes, and does nothing for a user without events', async () => {
    const dataset = await events().createdId();
    await write(dataset, 4, (n) => ({
      user_id: ['u', 'U', 'u ', 'ú'][n],
      ts: [0, 1, 1_700_000_000_000, 3][n],
    }));
    expect((await ask(dataset, 'nobody')).status).toBe(200);
    expect(await events().count(dataset)).toBe(4);
    expect((await ask(dataset, 'u ')).status).toBe(200);
    expect((await ask(dataset, 'u')).status).toBe(200);
    expect((await storedRecords(api.db, dataset)).map(({ id }) => id)).toEqual(['e-1', 'e-3']);
    expect(await events().count(dataset)).toBe(2);
  });

  test('keeps an event that another call assigns to another user meanwhile', async () => {
    const dataset = await events().createdId();
    await write(dataset, 10, () => ({ user_id: 'one' }));
    await during(dataset, { event_id: 'e-5', user_id: 'another' }, () => ask(dataset, 'one'));
    expect(await storedRecords(api.db, dataset, 'user_id')).toEqual([{ id: 'e-5', user_id: 'another' }]);
    expect(await events().count(dataset)).toBe(1);
  });
});

describe('a delete of events before a time', () => {
  const ask = async (event_dataset_id: string, ts: number, start_ts?: number) =>
    caller.ask('deleteDatasetEventsBeforeTs', {
      event_dataset_id,
      ts,
      ...(start_ts === undefined ? {} : { start_ts }),
    });
  const timesLeft = async (dataset: string) =>
    (await storedRecords(api.db, dataset, 'ts::float8 AS ts'))
      .map((row) => row['ts'] as number)
      .toSorted((a, b) => a - b);

  test('includes start_ts and excludes ts', async () => {
    const dataset = await events().createdId();
    await write(dataset, 10, (n) => ({ ts: n }));
    const { status, body } = await ask(dataset, 7, 3);
    expect({ status, body }).toEqual({ status: 200, body: { event_dataset_id: dataset, ts: 7 } });
    expect(await timesLeft(dataset)).toEqual([0, 1, 2, 7, 8, 9]);
    expect(await events().count(dataset)).toBe(6);
    await ask(dataset, 8);
    expect(await timesLeft(dataset)).toEqual([8, 9]);
    for (const [ts, start] of [[0], [9, 9], [8, 20], [5]]) await ask(dataset, ts as number, start);
    expect(await timesLeft(dataset)).toEqual([8, 9]);
    await ask(dataset, 8_640_000_000_000_000);
    expect(await events().count(dataset)).toBe(0);
  });

  test('deletes more than one step, also if all events have the same time', async () => {
    const dataset = await events().createdId();
    await write(dataset, 11_001, (n) => ({ ts: n === 11_000 ? 78 : 77, user_id: `u-${n}` }));
    expect((await ask(dataset, 78, 77)).status).toBe(200);
    expect(await timesLeft(dataset)).toEqual([78]);
    expect(await events().count(dataset)).toBe(1);
  });

  test.each([
    [{ ts: -1 }],
    [{ ts: 1.5 }],
    [{ ts: '5' }],
    [{}],
    [{ ts: 5, start_ts: -1 }],
    [{ ts: 8_640_000_000_000_001 }],
  ])('refuses %j', async (fields) => {
    const dataset = await events().createdId();
    await write(dataset, 3, (n) => ({ ts: n }));
    const request = { event_dataset_id: dataset, ...fields };
    expect((await caller.ask('deleteDatasetEventsBeforeTs', request)).status).toBe(400);
    expect(await events().count(dataset)).toBe(3);
  });

  test('keeps an event that another call moves out of the range meanwhile', async () => {
    const dataset = await events().createdId();
    await write(dataset, 10, (n) => ({ ts: n }));
    await during(dataset, { event_id: 'e-5', ts: 5000 }, () => ask(dataset, 1000));
    expect(await timesLeft(dataset)).toEqual([5000]);
    expect(await events().count(dataset)).toBe(1);
  });

  test('runs before or after a call that changes an event within the range, never in between', async () => {
    const dataset = await events().createdId();
    await write(dataset, 10, (n) => ({ ts: n }));
    await during(dataset, { event_id: 'e-5', ts: 6, event_value: 9 }, () => ask(dataset, 1000));
    const left = await storedRecords(api.db, dataset, 'ts::float8 AS ts, event_value');
    expect([[], [{ id: 'e-5', ts: 6, event_value: 9 }]]).toContainEqual(left);
    expect(await events().count(dataset)).toBe(left.length);
  });
});

/** Runs `act` while a call has upserted the event and is about to commit. */
async function during(
  dataset: string,
  fields: object,
  act: () => Promise<{ status: number }>,
): Promise<void> {
  const place = await placeOf(api.db, dataset);
  let acting: Promise<{ status: number }> | undefined;
  let done = false;
  await api.db.transaction(async (tx) => {
    await upsertEvents(tx, place, [eventRow(recordOf('event', 'e', fields) as never)]);
    acting = act();
    void acting.finally(() => {
      done = true;
    });
    await sleep(300);
    // It waits for this transaction; otherwise this tests nothing.
    expect(done).toBe(false);
  });
  expect((await acting)?.status).toBe(200);
}
