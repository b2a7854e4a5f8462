import { afterEach, describe, expect, test } from 'vitest';
import { expireNext } from '../../../src/datasets/expire-events.ts';
import { startApi } from '../../../src/processes/api.ts';
import { limitedTo } from '../stack/caller.ts';
import { KindCaller, recordOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, ownProduct, perFile } from '../stack/stack.ts';

// Without workers: each test runs its own steps.
ownProduct({}, startApi);
const events = perFile(async () => new KindCaller(caller, 'event'));
afterEach(() => api.rows('UPDATE datasets SET retention_days = NULL, retention_due_at = NULL'));

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Writes events of these ages, in milliseconds, by ID. */
async function write(of: KindCaller, dataset: string, ages: Readonly<Record<string, number>>): Promise<void> {
  const now = Date.now();
  const records = Object.entries(ages).map(([id, age]) => recordOf('event', id, { ts: now - age }));
  const { body } = await of.upsert(dataset, records);
  expect(body.succeed_ids).toHaveLength(records.length);
}

/** Runs steps until nothing is due. Returns how many events they deleted. */
async function expireAll(limit?: number): Promise<number> {
  let deleted = 0;
  for (let steps = 0; steps < 100; steps++) {
    const step = await expireNext(api.db, limit);
    if (!step) return deleted;
    deleted += step.deleted;
  }
  throw new Error('the steps do not end');
}

const idsIn = async (dataset: string) => (await storedRecords(api.db, dataset)).map(({ id }) => id);
const makeDue = (dataset: string) =>
  api.rows('UPDATE datasets SET retention_due_at = now() WHERE dataset_id = $1', [dataset]);

/** The days whose events are to be attributed again. */
const changedDays = async (dataset: string) => {
  const [row] = await api.rows<{ days: string }>(
    `SELECT bit_or(changed_days)::text AS days FROM dataset_counts JOIN datasets USING (dataset_key) WHERE dataset_id = $1`,
    [dataset],
  );
  return BigInt.asUintN(64, BigInt(row?.days ?? 0));
};

describe('retention_days', () => {
  test('is null unless it is set, changes only if it is sent, and null removes it', async () => {
    const { body: kept } = await events.create();
    expect(kept['retention_days']).toBeNull();
    const { body: created } = await events.create({ retention_days: 90 });
    const id = created['event_dataset_id'] as string;
    expect(created['retention_days']).toBe(90);
    for (const [change, expected] of [
      [{ retention_days: 30 }, 30],
      [{ name: 'another' }, 30],
      [{ retention_days: 36_500 }, 36_500],
      [{ retention_days: null }, null],
      [{ name: 'the first' }, null],
    ] as const) {
      expect((await events.update(id, change)).body).toMatchObject({ retention_days: expected });
      expect((await events.get(id)).body['retention_days']).toBe(expected);
    }
  });

  test.each([0, -1, 36_501, 1.5, '30'])('cannot be %s', async (retention_days) => {
    const id = await events.createdId();
    for (const { status, body } of [
      await events.create({ retention_days }),
      await events.update(id, { retention_days }),
    ])
      expect({ status, path: body.errors[0]?.path }).toEqual({ status: 400, path: 'retention_days' });
  });

  test.each(['user', 'item'] as const)('is not a field of %s datasets', async (kind) => {
    const of = new KindCaller(caller, kind);
    const id = await of.createdId();
    for (const { status } of [
      await of.create({ retention_days: 30 }),
      await of.update(id, { retention_days: 30 }),
    ])
      expect(status).toBe(400);
  });

  test('can be set in an update only by a caller who may delete events', async () => {
    const id = await events.createdId();
    const limited = new KindCaller(await limitedTo(caller, 'updateEventDataset'), 'event');
    expect((await limited.update(id, { retention_days: 1 })).body.code).toBe('SCOPE_MISSING');
    expect((await events.get(id)).body['retention_days']).toBeNull();
    expect((await limited.update(id, { name: 'x', retention_days: null })).status).toBe(200);
  });
});

describe('workers', () => {
  test('delete events that are older than the retention, and no others', async () => {
    const other = new KindCaller(await api.newCaller(), 'event');
    const dataset = await events.createdId({ retention_days: 30 });
    const kept = await events.createdId();
    const others = await other.createdId({ retention_days: 365 });
    const ages = {
      ancient: Date.now(),
      older: 30 * dayMs + minuteMs,
      newer: 30 * dayMs - minuteMs,
      new: 0,
      future: -dayMs,
    };
    await write(events, dataset, ages);
    await write(events, kept, ages);
    await write(other, others, { ...ages, oldest: 366 * dayMs });
    expect(await expireAll()).toBe(4);
    expect(await idsIn(dataset)).toEqual(['future', 'new', 'newer']);
    expect(await events.count(dataset)).toBe(3);
    expect(await idsIn(kept)).toEqual(Object.keys(ages).toSorted());
    expect(await events.count(kept)).toBe(5);
    expect(await idsIn(others)).toEqual(['future', 'new', 'newer', 'older']);
    expect(await other.count(others)).toBe(4);
  });

  test('apply a retention at once when it is set or lowered, and stop when it is removed', async () => {
    const dataset = await events.createdId();
    await write(events, dataset, { a: 400 * dayMs, b: 100 * dayMs, c: 50 * dayMs, d: 0 });
    expect(await expireAll()).toBe(0);
    for (const [retention_days, left] of [
      [365, ['b', 'c', 'd']],
      [90, ['c', 'd']],
      [30, ['d']],
    ] as const) {
      await events.update(dataset, { retention_days });
      expect(await expireAll()).toBe(1);
      expect(await idsIn(dataset)).toEqual(left);
    }
    await events.update(dataset, { retention_days: null });
    await write(events, dataset, { a: 400 * dayMs });
    expect(await expireAll()).toBe(0);
    expect(await events.count(dataset)).toBe(2);
  });

  test('delete events that are too old when they are written in the next round, an hour later', async () => {
    const dataset = await events.createdId({ retention_days: 30 });
    await expireAll();
    await write(events, dataset, { late: 31 * dayMs });
    await events.update(dataset, { name: 'another' });
    expect(await expireNext(api.db)).toBeUndefined();
    const [due] = await api.rows<{ seconds: number }>(
      'SELECT extract(epoch FROM retention_due_at - now())::float8 AS seconds FROM datasets WHERE dataset_id = $1',
      [dataset],
    );
    expect(Math.abs((due?.seconds ?? 0) - 3600)).toBeLessThan(60);
    await makeDue(dataset);
    expect(await expireAll()).toBe(1);
    expect(await events.count(dataset)).toBe(0);
  });

  test('delete more than one step, also of the same time, and earlier events in the next round', async () => {
    const dataset = await events.createdId({ retention_days: 30 });
    const old = (n: number) => (n < 60 ? 40 : 31 + (n % 7)) * dayMs;
    const ages = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`e${n}`, old(n)]));
    await write(events, dataset, ages);
    await write(events, dataset, { kept: 0 });
    expect((await expireNext(api.db, 25))?.deleted).toBe(25);
    // Before the time that the steps have reached.
    await write(events, dataset, { late: 50 * dayMs });
    expect(await expireAll(25)).toBe(75);
    expect(await idsIn(dataset)).toEqual(['kept', 'late']);
    await makeDue(dataset);
    expect(await expireAll(25)).toBe(1);
    expect(await events.count(dataset)).toBe(1);
  });

  test('leave deleted datasets to the purge', async () => {
    const dataset = await events.createdId({ retention_days: 30 });
    await write(events, dataset, { a: 31 * dayMs });
    await events.remove(dataset);
    expect(await expireNext(api.db)).toBeUndefined();
    expect(await idsIn(dataset)).toEqual(['a']);
  });

  test('leave outcomes as they were counted', async () => {
    const dataset = await events.createdId();
    await write(events, dataset, { old: 10 * dayMs, new: 0 });
    await api.rows('UPDATE dataset_counts SET changed_days = 0');
    await events.update(dataset, { retention_days: 5 });
    expect(await expireAll()).toBe(1);
    expect(await changedDays(dataset)).toBe(0n);
  });
});

test('events that are deleted by a call are attributed again for days that the decision log still has', async () => {
  const dataset = await events.createdId();
  await write(events, dataset, { ancient: 200 * dayMs, recent: 10 * dayMs });
  await api.rows('UPDATE dataset_counts SET changed_days = 0');
  const recent = Date.now() - 10 * dayMs;
  for (const [ts, days] of [
    [recent - dayMs, 0n],
    [Date.now(), 1n << BigInt(Math.floor(recent / dayMs) % 64)],
  ] as const) {
    await caller.call('deleteDatasetEventsBeforeTs', { event_dataset_id: dataset, ts });
    expect(await changedDays(dataset)).toBe(days);
  }
  expect(await events.count(dataset)).toBe(0);
});
