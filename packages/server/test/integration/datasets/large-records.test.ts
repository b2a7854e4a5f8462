import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { KindCaller, recordOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

/** Four-byte characters, in an order that does not compress. */
function wideText(length: number, seed: number): string {
  let state = seed;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  return Array.from({ length }, () => String.fromCodePoint(0x20000 + (next() % 42_000))).join('');
}

describe('the widest records', () => {
  test('an event with all IDs and its type at their limits is written, read by every index and deleted', async () => {
    const of = new KindCaller(caller, 'event');
    const dataset = await of.createdId();
    const widest = (seed: number) => ({
      event_id: wideText(limits.eventIdLength, seed),
      user_id: wideText(limits.developerIdLength, 7),
      item_id: wideText(limits.developerIdLength, seed + 2),
      ts: 1_700_000_000_000 - seed,
      event_type: wideText(limits.eventTypeLength, seed + 3),
    });
    const events = [1, 2, 3].map((seed) => widest(seed * 10));
    for (const mode of ['REPLACE', 'MERGE'])
      expect((await of.upsert(dataset, events, { mode })).body.failures).toEqual([]);
    expect(await of.count(dataset)).toBe(3);
    const [first, second] = events;
    if (!first || !second) throw new Error('there are three');
    const between = { event_dataset_id: dataset, start_ts: second.ts, ts: second.ts + 1 };
    await caller.call('deleteDatasetEventsBeforeTs', between);
    expect(await of.count(dataset)).toBe(2);
    await caller.call('deleteDatasetUserEvents', { event_dataset_id: dataset, user_id: first.user_id });
    expect(await of.count(dataset)).toBe(0);
  });

  test('the recommended event_id of user, item and time fits for all valid IDs', async () => {
    const of = new KindCaller(caller, 'event');
    const dataset = await of.createdId();
    const [user_id, item_id] = [wideText(256, 1), wideText(256, 2)];
    const event = recordOf('event', `${user_id}:${item_id}:${limits.tsMax}`, { user_id, item_id });
    expect((await of.upsert(dataset, [event])).body.failed_count).toBe(0);
    const long = recordOf('event', 'x'.repeat(601));
    expect((await of.upsert(dataset, [long])).body.failures).toMatchObject([{ code: 'ID_INVALID' }]);
  });

  test.each(['user', 'item'] as const)('a %s may have 256 KiB, and not one byte more', async (kind) => {
    const of = new KindCaller(caller, kind);
    const dataset = await of.createdId();
    const bare = recordOf(kind, 'x', { attributes: { text: '' } });
    const free = limits.userOrItemBytes - Buffer.byteLength(JSON.stringify(bare));
    const record = (id: string, bytes: number) =>
      recordOf(kind, id, { attributes: { text: 'x'.repeat(bytes) } });
    const { body } = await of.upsert(dataset, [record('x', free), record('y', free + 1)]);
    expect(body.succeed_ids).toEqual(['x']);
    expect(body.failures).toMatchObject([{ id: 'y', code: 'RECORD_TOO_LARGE' }]);
  });
});

describe('a batch of many megabytes', () => {
  const text = 'x'.repeat(15_000);
  const ids = Array.from({ length: 300 }, (_, n) => `e${n}`);
  const batch = (order: readonly string[], turn: number) =>
    order.map((id) => recordOf('event', id, { attributes: { text, turn } }));

  test('is written completely, in ID order beside overlapping ones, and counted once', async () => {
    const of = new KindCaller(caller, 'event');
    const dataset = await of.createdId();
    const deadlocks = async () => {
      const [row] = await api.rows<{ deadlocks: number }>(
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      );
      return row?.deadlocks;
    };
    const before = await deadlocks();
    const answers = await Promise.all(
      [ids, ids.toReversed(), ids.toSorted(), ids.slice(100)].map((order, turn) =>
        of.upsert(dataset, batch(order, turn), { mode: turn === 2 ? 'MERGE' : 'REPLACE' }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.failed_count])).toEqual(
      answers.map(() => [200, 0]),
    );
    expect(answers[1]?.body.succeed_ids).toEqual(ids.toReversed());
    expect(await of.count(dataset)).toBe(ids.length);
    expect((await storedRecords(api.db, dataset, 'ts')).length).toBe(ids.length);
    expect(await deadlocks()).toBe(before);
  });
});
