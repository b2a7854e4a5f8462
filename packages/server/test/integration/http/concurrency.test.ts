import { setTimeout as sleep } from 'node:timers/promises';
import type { EventRecord } from '@tastegraph/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApiFleet } from '../stack/api-fleet.ts';
import type { Caller } from '../stack/caller.ts';
import { perFile } from '../stack/stack.ts';
import { forMs, inParallel, Load, pickInt, pickSome } from './load.ts';

const writers = 8;
const overlapMs = 4000;

const fleet = perFile(() => startApiFleet(2));

const ids = Array.from({ length: 400 }, (_, i) => `id-${i}`);
const event = (event_id: string, ts: number): EventRecord => ({
  event_id,
  user_id: `user-${pickInt(20)}`,
  item_id: 'item',
  ts,
  event_type: 'view',
  attributes: { at: ts },
});

async function createEventDataset(): Promise<string> {
  return (await fleet.callerOf(0).call('createEventDataset', { name: 'e', num_shards: 10 })).event_dataset_id;
}

async function countRecords(table: 'events' | 'items', datasetId: string): Promise<number> {
  const { rows } = await fleet.sql.query<{ real: number }>(
    `SELECT count(*)::int AS real FROM ${table} JOIN datasets USING (dataset_key) WHERE dataset_id = $1`,
    [datasetId],
  );
  return rows[0]?.real ?? -1;
}

describe('writers of overlapping IDs, in random order and with repeats, among deletes', () => {
  test('of events all succeed, and record_count is exact', async () => {
    const event_dataset_id = await createEventDataset();
    const load = new Load();
    await inParallel(writers, forMs(overlapMs), async (writer) => {
      const caller = fleet.callerOf(writer);
      const chance = Math.random();
      if (chance < 0.8) {
        const events = pickSome(ids, 1 + pickInt(300)).map((id) => event(id, pickInt(1000)));
        await load.time('upsert', () => caller.ask('upsertDatasetEvents', { event_dataset_id, events }));
      } else if (chance < 0.9) {
        const user_id = `user-${pickInt(20)}`;
        await load.time('delete by user', () =>
          caller.ask('deleteDatasetUserEvents', { event_dataset_id, user_id }),
        );
      } else {
        const [start_ts, ts] = [pickInt(1000), pickInt(1000)];
        await load.time('delete by ts', () =>
          caller.ask('deleteDatasetEventsBeforeTs', { event_dataset_id, ts, start_ts }),
        );
      }
    });
    const { record_count } = await fleet.callerOf(1).call('getEventDataset', { event_dataset_id });
    console.log('overlapping events:', { ...load.summary(), record_count });
    expect(load.errors).toEqual([]);
    expect(record_count).toBe(await countRecords('events', event_dataset_id));
  });

  test('of items all succeed, and record_count is exact', async () => {
    const { item_dataset_id } = await fleet
      .callerOf(0)
      .call('createItemDataset', { name: 'i', num_shards: 10 });
    const load = new Load();
    await inParallel(writers, forMs(overlapMs), async (writer) => {
      const caller = fleet.callerOf(writer);
      const chosen = pickSome(ids, 1 + pickInt(300));
      if (Math.random() < 0.7) {
        const items = chosen.map((item_id) => ({ item_id, attributes: { n: Math.random() } }));
        await load.time('upsert', () => caller.ask('upsertDatasetItems', { item_dataset_id, items }));
      } else {
        await load.time('delete by ids', () =>
          caller.ask('deleteDatasetItems', { item_dataset_id, ids: chosen }),
        );
      }
    });
    const { record_count } = await fleet.callerOf(1).call('getItemDataset', { item_dataset_id });
    console.log('overlapping items:', { ...load.summary(), record_count });
    expect(load.errors).toEqual([]);
    expect(record_count).toBe(await countRecords('items', item_dataset_id));
  });
});

describe('a delete of 200,000 events', () => {
  const doomed = 200_000;
  const cutoff = 1_000_000;
  let event_dataset_id: string;

  beforeAll(async () => {
    event_dataset_id = await createEventDataset();
    let next = 0;
    await inParallel(
      4,
      () => next < doomed,
      async (writer) => {
        const from = next;
        next += 1000;
        const events = Array.from({ length: 1000 }, (_, i) => event(`old-${from + i}`, from + i));
        await fleet.callerOf(writer).call('upsertDatasetEvents', { event_dataset_id, events });
      },
    );
  });

  test('delays no single-event call by a second, and no transaction lives longer than two', async () => {
    const load = new Load();
    const written = new Set<string>();
    let deleting = true;
    let deleteMs = 0;
    const watch = watchTransactions(() => deleting);
    const start = performance.now();
    const deleted = fleet
      .callerOf(0)
      .ask('deleteDatasetEventsBeforeTs', { event_dataset_id, ts: cutoff })
      .finally(() => {
        deleteMs = Math.round(performance.now() - start);
        deleting = false;
      });
    await inParallel(
      4,
      () => deleting,
      async (writer) => {
        // Half of them move an event out of the range of the delete.
        const id =
          Math.random() < 0.5 ? `old-${pickInt(doomed)}` : `new-${writer}-${load.latenciesMs.length}`;
        const events = [event(id, cutoff + pickInt(1000))];
        await load.time('upsert', () =>
          fleet.callerOf(writer).ask('upsertDatasetEvents', { event_dataset_id, events }),
        );
        written.add(id);
      },
    );
    const { status } = await deleted;
    const oldestMs = await watch;
    console.log('bulk delete:', { deleteMs, oldestMs, singleEvents: load.summary() });
    expect(status).toBe(200);
    expect(load.errors).toEqual([]);
    expect(load.maxMs).toBeLessThan(5000);
    expect(oldestMs).toBeLessThan(10_000);

    const { rows } = await fleet.sql.query<{ event_id: string }>(
      'SELECT event_id FROM events JOIN datasets USING (dataset_key) WHERE dataset_id = $1',
      [event_dataset_id],
    );
    expect(new Set(rows.map((row) => row.event_id))).toEqual(written);
    const { record_count } = await fleet.callerOf(1).call('getEventDataset', { event_dataset_id });
    expect(record_count).toBe(written.size);
  });

  /** The age of our oldest transaction ever seen, in milliseconds. */
  async function watchTransactions(goesOn: () => boolean): Promise<number> {
    let oldest = 0;
    while (goesOn()) {
      const { rows } = await fleet.sql.query<{ ms: number | null }>(`
        SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 * 1000 AS ms
        FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tastegraph'`);
      oldest = Math.max(oldest, rows[0]?.ms ?? 0);
      await sleep(20);
    }
    return Math.round(oldest);
  }
});

test('writers of two processes race for the last records of a shard, and exactly those fit', async () => {
  const room = 12_000;
  const { event_dataset_id } = await fleet
    .callerOf(0)
    .call('createEventDataset', { name: 'e', num_shards: 1 });
  // Only the count; the records themselves are not read.
  await fleet.sql.query(
    'UPDATE dataset_counts SET record_count = $2 WHERE slot = 0 AND dataset_key = (SELECT dataset_key FROM datasets WHERE dataset_id = $1)',
    [event_dataset_id, 100_000 - room],
  );
  let batches = 0;
  const answers: { succeed_ids: string[]; failures: { code: string }[] }[] = [];
  await inParallel(
    writers,
    () => batches < 24,
    async (writer) => {
      const batch = batches++;
      const events = Array.from({ length: 1000 }, (_, n) => event(`${batch}-${n}`, n));
      answers.push(await fleet.callerOf(writer).call('upsertDatasetEvents', { event_dataset_id, events }));
    },
  );
  expect(answers.flatMap(({ succeed_ids }) => succeed_ids)).toHaveLength(room);
  expect(new Set(answers.flatMap(({ failures }) => failures.map(({ code }) => code)))).toEqual(
    new Set(['DATASET_FULL']),
  );
  expect(await countRecords('events', event_dataset_id)).toBe(room);
});

test('two identical concurrent deletes both succeed, and the count is exact', async () => {
  const event_dataset_id = await createEventDataset();
  const many = Array.from({ length: 12_000 }, (_, i) => event(`id-${i}`, i));
  for (let from = 0; from < many.length; from += 1000) {
    const events = many.slice(from, from + 1000).map((each) => ({ ...each, user_id: 'one' }));
    await fleet.callerOf(from / 1000).call('upsertDatasetEvents', { event_dataset_id, events });
  }
  const twice = (act: (caller: Caller) => Promise<unknown>) =>
    Promise.all([act(fleet.callerOf(0)), act(fleet.callerOf(1))]);
  await twice((caller) => caller.call('deleteDatasetEventsBeforeTs', { event_dataset_id, ts: 6000 }));
  expect(await countRecords('events', event_dataset_id)).toBe(6000);
  await twice((caller) => caller.call('deleteDatasetUserEvents', { event_dataset_id, user_id: 'one' }));
  expect(await countRecords('events', event_dataset_id)).toBe(0);
  const { record_count } = await fleet.callerOf(0).call('getEventDataset', { event_dataset_id });
  expect(record_count).toBe(0);
});

test('none of it caused a deadlock', async () => {
  // A connection reports its statistics when it closes.
  await fleet.stopApis();
  const { rows } = await fleet.sql.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  console.log('deadlocks:', rows[0]?.deadlocks);
  expect(rows[0]?.deadlocks).toBe(0);
});
