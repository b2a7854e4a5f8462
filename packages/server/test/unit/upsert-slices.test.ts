import { limits } from '@tastegraph/contract';
import { expect, test } from 'vitest';
import { isLargeBatch, partitionInThread } from '../../src/datasets/records/partition-in-thread.ts';
import { partitionRecords } from '../../src/datasets/records/partition-records.ts';
import { cutIntoSlices } from '../../src/datasets/rows/write-slices.ts';
import { bodyRulesOf } from '../../src/http/body/body-rules.ts';
import { parseBody } from '../../src/http/body/parse-body.ts';
import { parseLargeBody } from '../../src/http/body/parse-list-body.ts';
import { unsliced } from '../../src/kernel/lib/slices.ts';
import { watchLoop } from '../watch-loop.ts';

/** Of CPU time of the main thread: on it alone, checking each of these bodies takes hundreds of milliseconds. */
const maxIterationMs = 20;
const maxTotalMs = 100;
/** What is slow because of its own work is slow in every attempt; garbage collection is not. */
const attempts = 3;

const values = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const eventsOf = (count: number, attributes: string) =>
  `{"events":[${Array.from(
    { length: count },
    (_, n) =>
      `{"event_id":"e${n}","user_id":"u","item_id":"i","ts":1,"event_type":"t","attributes":${attributes}}`,
  ).join(',')}]}`;
const usersOf = (count: number, attributes: string, idOf = (n: number) => `u${n}`) =>
  `{"users":[${Array.from(
    { length: count },
    (_, n) => `{"user_id":"${idOf(n)}","attributes":${attributes}}`,
  ).join(',')}]}`;
const keys = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',');

const bodies = {
  '250 events of 20 KB of brackets': () => eventsOf(250, `{"a":[${values('[],', 20_000)}1]}`),
  '250 events of 20 KB of keys': () => eventsOf(250, `{${keys(1800)}}`),
  '20 users of 250 KB of numbers': () => usersOf(20, `{"a":[${values('1,', 250_000)}1]}`),
  '25 users of 380 KB of brackets, which is too large': () =>
    usersOf(25, `{"a":[${values('[],', 380_000)}1]}`),
  '100 merges into one user': () => usersOf(100, `{${keys(2500)}}`, () => 'one'),
};

test.each(Object.entries(bodies))(
  'the main thread does little for %s',
  { timeout: 180_000 },
  async (name, text) => {
    const kind = name.includes('events') ? 'event' : 'user';
    const mode = name.includes('merges') ? 'MERGE' : 'REPLACE';
    const rules = bodyRulesOf(kind === 'event' ? 'upsertDatasetEvents' : 'upsertDatasetUsers');
    const work = async (body: Buffer) => {
      const request = (await parseBody(body, rules, 'account')) as Record<string, unknown[]>;
      const records = request[`${kind}s`] ?? [];
      if (!isLargeBatch(records)) {
        expect(name).toContain('too large');
        return;
      }
      const { partitioned } = await partitionInThread('account', { kind, schema: null, mode }, records);
      expect(partitioned.valid.length).toBe(mode === 'MERGE' ? 1 : records.length);
      await cutIntoSlices(partitioned.valid.map(({ row }) => row));
    };
    let worst = Number.POSITIVE_INFINITY;
    let total = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const body = Buffer.from(text());
      expect(body.length).toBeLessThanOrEqual(limits.bodyBytes);
      const { worstMs, totalMs } = await watchLoop(() => work(body));
      worst = Math.min(worst, worstMs);
      total = Math.min(total, totalMs);
    }
    expect(worst).toBeLessThanOrEqual(maxIterationMs);
    expect(total).toBeLessThanOrEqual(maxTotalMs);
  },
);

test('a thread finds the same records, rows and failures', async () => {
  const events = Array.from({ length: 300 }, (_, n) => ({
    event_id: n % 7 === 0 ? 7 : `é${n % 200}`,
    ...(n % 5 > 0 && { user_id: 'u' }),
    item_id: 'i',
    ts: 1,
    event_type: 't',
    attributes: { text: `\n"\u2028${'x'.repeat(n * 150)}`, n: n % 3 === 0 ? null : n },
  }));
  const text = JSON.stringify({ events: [...events, 'no record', null, [], { event_id: 'e', more: [[]] }] });
  const rules = bodyRulesOf('upsertDatasetEvents');
  if (!rules.list) throw new Error('an upsert has a list');
  for (const mode of ['REPLACE', 'MERGE'] as const) {
    const here = (await parseLargeBody(Buffer.from(text), rules.list, unsliced)) as { events: unknown[] };
    const expected = await partitionRecords('event', null, here.events, unsliced, { mode });
    const { events: records } = (await parseBody(Buffer.from(text), rules, 'account')) as {
      events: unknown[];
    };
    if (!isLargeBatch(records)) throw new Error('the batch is large');
    const found = await partitionInThread('account', { kind: 'event', schema: null, mode }, records);
    const { valid, failed } = found.partitioned;
    const asText = valid.map(({ row, ...record }) => ({
      ...record,
      row: { ...row, json: row.json.toString() },
    }));
    expect(expected.failed.length).toBeGreaterThan(60);
    expect({ valid: asText, failed }).toEqual(expected);
    // The records came back, and can be checked again.
    expect(await partitionRecords('event', null, found.records, unsliced, { mode })).toEqual(expected);
  }
});
