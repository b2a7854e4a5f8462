import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { newId, timeOfId } from '../../src/http/ids.ts';
import { DecisionBuffer } from '../../src/outcomes/log/buffer.ts';
import { lineOf } from '../../src/outcomes/log/decision.ts';
import { encodeBatch } from '../../src/outcomes/log/encode-batch.ts';

describe('the buffer of the decision log', () => {
  test('returns everything once, by account', () => {
    const buffer = new DecisionBuffer(1000);
    buffer.add('b', 'b1', 20);
    buffer.add('a', 'a1', 10);
    buffer.add('b', 'b2', 30);
    expect(buffer.take()).toEqual({ text: 'a1\nb1\nb2', answers: 3, firstTs: 10, lastTs: 30 });
    expect(buffer.take()).toBeUndefined();
    expect(buffer.length).toBe(0);
  });

  test('drops the answers of the account that has the most, and never holds more than its limit', () => {
    const buffer = new DecisionBuffer(100);
    let dropped = 0;
    for (let n = 0; n < 50; n++) dropped += buffer.add('busy', '0123456789', n);
    expect({ dropped, length: buffer.length }).toEqual({ dropped: 40, length: 100 });
    for (let n = 0; n < 3; n++) dropped += buffer.add('quiet', 'quiet12345', n);
    expect({ dropped, length: buffer.length }).toEqual({ dropped: 43, length: 100 });
    const lines = buffer.take()?.text.split('\n') ?? [];
    expect(lines.filter((line) => line === 'quiet12345')).toHaveLength(3);
    expect(lines).toHaveLength(10);
  });
});

test('an ID contains the time of its creation', () => {
  const before = Date.now();
  const ts = timeOfId(newId('recommendation'));
  expect(ts).toBeGreaterThanOrEqual(before);
  expect(ts).toBeLessThanOrEqual(Date.now());
  expect(timeOfId('rec_')).toBeNaN();
  expect(timeOfId('')).toBeNaN();
});

const answer = {
  recommendation_id: 'rec_1',
  account_id: 'acc_1',
  project_id: 'prj_1',
  ts: 1_800_000_000_000,
  question: 'recommendItemsToUser',
  scenario: 'default',
  scenario_version: null,
  variant: null,
  model_id: 'mdl_1',
  ranker_model_id: null,
  user_id: null,
  is_trial: false,
  item_ids: ['a "quoted" ID', 'b\n'],
  detail: { scores: [0.5, 0.25], degraded: [], request: null },
};

test('a batch is a Parquet file with one row per answer', async () => {
  const bytes = encodeBatch(
    [answer, { ...answer, user_id: 'u' }].map((one) => JSON.stringify(one)).join('\n'),
  );
  const rows = await parquetReadObjects({ file: bytes.buffer });
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ recommendation_id: 'rec_1', ts: 1_800_000_000_000n, user_id: null });
  expect(JSON.parse(String(rows[0]?.['item_ids']))).toEqual(answer.item_ids);
  expect(JSON.parse(String(rows[1]?.['detail']))).toEqual(answer.detail);
});

test('a line keeps the request unless it is long, however long the answer is', () => {
  const lineWith = (request: object, items = 2) => {
    const item_ids = Array.from({ length: items }, (_, n) => `item-${n}`);
    const line = lineOf({ ...answer, item_ids, detail: { ...answer.detail, request: { ...request } } });
    return JSON.parse(line) as typeof answer;
  };
  const short = { filter_query: 'item.price < 10.0' };
  expect(lineWith(short).detail.request).toEqual(short);
  expect(lineWith(short, 1000).detail.request).toEqual(short);
  const long = lineWith({ exclude: Array.from({ length: 1000 }, (_, n) => `item-${n}`) });
  expect(long).toEqual({ ...answer, item_ids: ['item-0', 'item-1'] });
});
