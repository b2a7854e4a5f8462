import { expect } from 'vitest';
import { newId } from '../../../src/http/ids.ts';
import { api, caller, test } from '../stack/stack.ts';

let event_dataset_id: string;

test.beforeAll(async () => {
  const made = await caller.call('createEventDataset', { name: 'e', num_shards: 1, attribute_schema: null });
  event_dataset_id = made.event_dataset_id;
});

const dayMs = 24 * 3600_000;
/** Of the days that the decision log still has. */
const firstDay = Math.floor(Date.now() / dayMs) - 20;
const ts = firstDay * dayMs;
const event = { event_id: 'e1', user_id: 'u', item_id: 'i', ts, event_type: 'buy' };
const write = (events: object[], mode: 'REPLACE' | 'MERGE' = 'REPLACE') =>
  caller.call('upsertDatasetEvents', { event_dataset_id, events: events as never, mode });
const stored = () => caller.call('getDatasetEvent', { event_dataset_id, event_id: 'e1' });

test('an event keeps the answer that it names until it is replaced without one', async () => {
  const [first, second] = [newId('recommendation'), newId('recommendation')];
  await write([{ ...event, recommendation_id: first }]);
  expect(await stored()).toMatchObject({ recommendation_id: first });
  const listed = await caller.call('listDatasetEvents', { event_dataset_id, user_id: 'u' });
  expect(listed.events[0]).toMatchObject({ recommendation_id: first });
  await write([{ event_id: 'e1', event_value: 2 }], 'MERGE');
  expect(await stored()).toMatchObject({ recommendation_id: first, event_value: 2 });
  await write([{ event_id: 'e1', recommendation_id: second }], 'MERGE');
  expect(await stored()).toMatchObject({ recommendation_id: second, event_value: 2 });
  await write([event]);
  expect(await stored()).not.toHaveProperty('recommendation_id');
});

/** The changed days since the last call. */
async function takeChangedDays(): Promise<number[]> {
  const [row] = await api.rows<{ days: string }>(
    `WITH old AS (SELECT dataset_key, bit_or(changed_days) AS days FROM dataset_counts JOIN datasets USING (dataset_key)
        WHERE dataset_id = $1 GROUP BY 1),
      reset AS (UPDATE dataset_counts c SET changed_days = 0 FROM old WHERE c.dataset_key = old.dataset_key)
      SELECT days::text FROM old`,
    [event_dataset_id],
  );
  const bits = BigInt.asUintN(64, BigInt(row?.days ?? '0'));
  return Array.from({ length: 64 }, (_, day) => day).filter((day) => (bits >> BigInt(day)) & 1n);
}

test('each write marks the days of the events that it changed, before and after', async () => {
  await takeChangedDays();
  const bit = (day: number) => (firstDay + day) % 64;
  await write([1, 2].map((day) => ({ ...event, event_id: `d${day}`, ts: ts + day * dayMs })));
  expect(await takeChangedDays()).toEqual([bit(1), bit(2)].toSorted((a, b) => a - b));
  // The same again changes nothing.
  await write([{ ...event, event_id: 'd1', ts: ts + dayMs }]);
  expect(await takeChangedDays()).toEqual([]);
  await write([{ ...event, event_id: 'd1', ts: ts + 5 * dayMs }]);
  expect(await takeChangedDays()).toEqual([bit(1), bit(5)].toSorted((a, b) => a - b));
  await write([{ event_id: 'd1', ts: ts + 7 * dayMs }], 'MERGE');
  expect(await takeChangedDays()).toEqual([bit(5), bit(7)].toSorted((a, b) => a - b));
  await caller.call('deleteDatasetEventsBeforeTs', { event_dataset_id, ts: ts + 3 * dayMs });
  expect(await takeChangedDays()).toEqual([bit(0), bit(2)].toSorted((a, b) => a - b));
});
