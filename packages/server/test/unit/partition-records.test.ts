import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { partitionRecords as partitionInSlices } from '../../src/datasets/records/partition-records.ts';
import { RefusedRecord } from '../../src/http/body/records.ts';
import { Slices } from '../../src/kernel/lib/slices.ts';

const partitionRecords = (kind: Kind, schema: Schema, records: readonly unknown[]) =>
  partitionInSlices(kind, schema, records, new Slices().start(''));
type Kind = Parameters<typeof partitionInSlices>[0];
type Schema = Parameters<typeof partitionInSlices>[1];
type Options = Parameters<typeof partitionInSlices>[4];

const user = (user_id: unknown, fields: object = {}) => ({ user_id, ...fields });
const ids = (entries: readonly { id?: string }[]) => entries.map(({ id }) => id);

describe('partitionRecords', () => {
  test('keeps the order of the request in both parts', async () => {
    const { valid, failed } = await partitionRecords('user', null, [
      user('c'),
      user('x', { y: 1 }),
      user('a'),
      user(''),
      user('b'),
    ]);
    expect(valid.map(({ index, id }) => [index, id])).toEqual([
      [0, 'c'],
      [2, 'a'],
      [4, 'b'],
    ]);
    expect(failed.map(({ index, id, code }) => [index, id, code])).toEqual([
      [1, 'x', 'FIELD_INVALID'],
      [3, '', 'ID_INVALID'],
    ]);
  });

  test('counts only the last of several records with one ID, valid or not', async () => {
    const first = await partitionRecords('user', null, [user('a'), user('a', { y: 1 })]);
    expect([ids(first.valid), ids(first.failed)]).toEqual([[], ['a']]);
    const last = await partitionRecords('user', null, [user('a', { y: 1 }), user('b'), user('a')]);
    expect([ids(last.valid), ids(last.failed)]).toEqual([['b', 'a'], []]);
  });

  test('does not treat records without an ID as the same record', async () => {
    const { valid, failed } = await partitionRecords('user', null, [
      {},
      {},
      null,
      user(7),
      user('undefined'),
    ]);
    expect(ids(valid)).toEqual(['undefined']);
    expect(failed.map(({ index, id, code }) => [index, id, code])).toEqual([
      [0, undefined, 'ID_INVALID'],
      [1, undefined, 'ID_INVALID'],
      [2, undefined, 'ID_INVALID'],
      [3, '7', 'ID_INVALID'],
    ]);
  });

  test.each(['user', 'item', 'event'] as const)('measures a %s as JSON in UTF-8', async (kind) => {
    const rest = kind === 'event' ? { user_id: 'u', item_id: 'i', ts: 1, event_type: 't' } : {};
    const of = (text: string) => ({ [`${kind}_id`]: 'x', ...rest, attributes: { text } });
    const most = kind === 'event' ? limits.eventBytes : limits.userOrItemBytes;
    const bare = Buffer.byteLength(JSON.stringify(of('')));
    const euros = Math.floor((most - bare) / 3);
    const at = of('€'.repeat(euros) + 'x'.repeat(most - bare - 3 * euros));
    expect((await partitionRecords(kind, null, [at])).failed).toEqual([]);
    const over = { ...at, attributes: { text: `${at.attributes.text}x` } };
    // Quotes and backslashes take two bytes in JSON.
    const escaped = of('"'.repeat(Math.ceil((most + 1 - bare) / 2)));
    // 1e20 takes four bytes as sent and twenty-one bytes as JSON.stringify writes it.
    const grown = { ...at, attributes: { many: Array<number>(Math.ceil(most / 20)).fill(1e20) } };
    for (const record of [over, escaped, grown])
      expect((await partitionRecords(kind, null, [record])).failed).toMatchObject([
        { code: 'RECORD_TOO_LARGE' },
      ]);
  });

  test('reports an invalid field first, then the size, then a mismatch with the schema', async () => {
    const huge = 'x'.repeat(limits.userOrItemBytes);
    const codes = async (record: object) =>
      (await partitionRecords('item', { n: 'NUMERICAL' }, [record])).failed.map(({ code }) => code);
    expect(await codes({ item_id: 'a', attributes: { n: huge }, other: 1 })).toEqual(['FIELD_INVALID']);
    expect(await codes({ item_id: 'a', attributes: { n: huge } })).toEqual(['RECORD_TOO_LARGE']);
    expect(await codes({ item_id: 'a', attributes: { n: 'text' } })).toEqual(['ATTRIBUTE_TYPE']);
  });

  test('checks no schema for events', async () => {
    const event = {
      event_id: 'e',
      user_id: 'u',
      item_id: 'i',
      ts: 1,
      event_type: 't',
      attributes: { n: { deep: 1 } },
    };
    expect((await partitionRecords('event', { n: 'NUMERICAL' }, [event])).failed).toEqual([]);
  });

  test('measures the merged changes of one record, not each change', async () => {
    const change = (name: string, bytes: number) => user('a', { attributes: { [name]: 'x'.repeat(bytes) } });
    const half = limits.userOrItemBytes / 2;
    const merge = (records: readonly unknown[]) =>
      partitionInSlices('user', null, records, new Slices().start(''), { mode: 'MERGE' });
    expect((await merge([change('one', half), change('other', half)])).failed).toMatchObject([
      { index: 1, id: 'a', code: 'RECORD_TOO_LARGE' },
    ]);
    const { valid } = await merge([change('one', half), change('one', half), change('one', 3)]);
    expect(valid.map(({ row }) => row.json)).toEqual([expect.stringContaining('"one":"xxx"')]);
  });

  test('fails all events of a call whose newest is of our time in seconds, unless the caller allows it', async () => {
    const event = (event_id: string, ts?: number) => ({
      event_id,
      user_id: 'u',
      item_id: 'i',
      ts,
      event_type: 't',
    });
    const seconds = Math.floor(Date.now() / 1000);
    const failures = async (times: (number | undefined)[], options: Options = {}) => {
      const records = times.map((ts, n) => event(`e${n}`, ts));
      const { failed } = await partitionInSlices('event', null, records, new Slices().start(''), options);
      return failed.map(({ index, id, code }) => `${index} ${id ?? ''} ${code}`);
    };
    expect(await failures([5, seconds])).toEqual(['0 e0 TIME_UNIT', '1 e1 TIME_UNIT']);
    expect(await failures([limits.tsSecondsFrom, 0.5])).toEqual(['0 e0 TIME_UNIT', '1 e1 FIELD_INVALID']);
    // What fails anyway says nothing of the others, and a change without a time is no matter of units.
    expect(await failures([seconds, 8e15])).toEqual(['0 e0 TIME_UNIT', '1 e1 TIME_IN_FUTURE']);
    expect(await failures([seconds, undefined], { mode: 'MERGE' })).toEqual(['0 e0 TIME_UNIT']);
    expect(await failures([5, seconds], { allowOldTs: true })).toEqual([]);
    const day = 24 * 3600;
    for (const newest of [0, limits.tsSecondsFrom - 1, seconds + 2 * day, seconds * 1000])
      expect(await failures([5, newest])).toEqual([]);
  });

  test('fails only the record that was too large to parse, with its ID if it has one', async () => {
    const { valid, failed } = await partitionRecords('user', null, [
      new RefusedRecord('too large', { user_id: 'large' }),
      user('a'),
      new RefusedRecord('too large', {}),
    ]);
    expect(ids(valid)).toEqual(['a']);
    expect(failed).toMatchObject([
      { index: 0, id: 'large', code: 'RECORD_TOO_LARGE' },
      { index: 2, code: 'ID_INVALID' },
    ]);
  });
});
