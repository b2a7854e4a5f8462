import { limits } from '@tastegraph/contract';
import { expect, test } from 'vitest';
import { partitionRecords } from '../../src/datasets/records/partition-records.ts';
import { cutIntoSlices } from '../../src/datasets/rows/write-slices.ts';
import { bodyRulesOf } from '../../src/http/body/body-rules.ts';
import { parseBody } from '../../src/http/body/parse-body.ts';
import { slices } from '../../src/kernel/lib/slices.ts';
import { watchLoop } from '../watch-loop.ts';

/**
 * The goal is 20 ms, which `npm run bench -- neighbours` measures. The rest is a margin for a busy machine with shared
 * caches: unsliced, each of these bodies takes longer than this, which the test checks too.
 */
const maxMs = 120;
/** An iteration that is slow because of its own work is slow in every attempt. */
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
  'no iteration of the event loop takes long for %s',
  { timeout: 180_000 },
  async (name, text) => {
    const body = Buffer.from(text());
    expect(body.length).toBeLessThanOrEqual(limits.bodyBytes);
    const kind = name.includes('events') ? 'event' : 'user';
    const mode = name.includes('merges') ? 'MERGE' : 'REPLACE';
    const rules = bodyRulesOf(kind === 'event' ? 'upsertDatasetEvents' : 'upsertDatasetUsers');
    const work = async () => {
      const request = (await parseBody(body, rules, 'account')) as Record<string, unknown[]>;
      const slice = slices.start('account');
      const { valid } = await partitionRecords(kind, null, request[`${kind}s`] ?? [], slice, mode);
      const rows = valid.map(({ row }) => row);
      await cutIntoSlices(rows, slice);
    };
    let longest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && longest > maxMs; attempt++) {
      const { worstMs, totalMs } = await watchLoop(work);
      longest = Math.min(longest, worstMs);
      expect(totalMs).toBeGreaterThan(maxMs);
    }
    expect(longest).toBeLessThanOrEqual(maxMs);
  },
);
