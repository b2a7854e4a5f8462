import { describe, expect } from 'vitest';
import { answer, requestOf } from '../stack/caller.ts';
import { KindCaller, recordOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

describe('an event', () => {
  const events = () => new KindCaller(caller, 'event');

  test('is stored as sent, with the defaults 1 and {}', async () => {
    const dataset = await events().createdId({ attribute_schema: { price: 'NUMERICAL' } });
    const least = {
      event_id: 'least',
      user_id: 'a user without record',
      item_id: 'an item without record',
      ts: 0,
      event_type: 'purchase',
    };
    const full = {
      ...least,
      event_id: 'full',
      // An hour ahead.
      ts: Date.now() + 3_600_000,
      event_value: 2.5,
      // Not checked against the schema, and free in shape.
      attributes: { price: 'dear', nested: { deep: [1, null, { a: false }] }, é: null },
    };
    const { body } = await events().upsert(dataset, [full, least]);
    expect(body.succeed_ids).toEqual(['full', 'least']);
    const rows = await storedRecords(api.db, dataset, '*, ts::float8 AS ts');
    expect(rows[0]).toMatchObject(full);
    expect(rows[1]).toMatchObject({ ...least, event_value: 1, attributes: null });
  });

  test.each([
    ['user_id', undefined, 'FIELD_MISSING'],
    ['item_id', undefined, 'FIELD_MISSING'],
    ['ts', undefined, 'FIELD_MISSING'],
    ['event_type', undefined, 'FIELD_MISSING'],
    ['user_id', '', 'FIELD_INVALID'],
    ['user_id', 7, 'FIELD_INVALID'],
    ['item_id', 'x'.repeat(257), 'FIELD_INVALID'],
    ['item_id', null, 'FIELD_INVALID'],
    ['ts', 1.5, 'FIELD_INVALID'],
    ['ts', -1, 'FIELD_INVALID'],
    ['ts', 8_640_000_000_000_001, 'FIELD_INVALID'],
    ['ts', '1000', 'FIELD_INVALID'],
    // The year 9999, and more than 24 hours ahead.
    ['ts', 253_402_300_799_000, 'TIME_IN_FUTURE'],
    ['ts', Date.now() + 25 * 3_600_000, 'TIME_IN_FUTURE'],
    ['event_type', '', 'FIELD_INVALID'],
    ['event_type', 'a\tb', 'FIELD_INVALID'],
    ['event_value', -0.1, 'FIELD_INVALID'],
    ['event_value', '1', 'FIELD_INVALID'],
    ['event_value', 1.000001e12, 'FIELD_INVALID'],
    ['attributes', [], 'FIELD_INVALID'],
    ['attributes', { a: 'x\0' }, 'FIELD_INVALID'],
    ['attributes', { 'x\ud800': 1 }, 'FIELD_INVALID'],
  ])('with %s = %j fails as %s, with the name of the field', async (field, value, code) => {
    const dataset = await events().createdId();
    const { body } = await events().upsert(dataset, [
      recordOf('event', 'e', { [field]: value }),
      recordOf('event', 'f'),
    ]);
    expect(body.succeed_ids).toEqual(['f']);
    expect(body.failures).toMatchObject([{ index: 0, id: 'e', code }]);
    expect(body.failures[0]?.message).toContain(field);
  });

  test('has an event_value from 0 to 1e12', async () => {
    const dataset = await events().createdId();
    const values = ['0', '1e12', '5e-324', '0.1', '1e999'];
    const records = values.map((value, n) =>
      JSON.stringify(recordOf('event', `e-${n}`)).replace('}', `,"event_value":${value}}`),
    );
    const [url, init] = requestOf(api.baseUrl, 'upsertDatasetEvents', {}, await caller.headers());
    const body = `{"event_dataset_id":"${dataset}","events":[${records.join()}]}`;
    expect((await answer(await fetch(url, { ...init, body }))).body).toMatchObject({
      succeed_ids: ['e-0', 'e-1', 'e-2', 'e-3'],
      failures: [{ id: 'e-4', code: 'FIELD_INVALID' }],
    });
    const rows = await storedRecords(api.db, dataset);
    expect(rows.map((row) => row['event_value'])).toEqual([0, 1e12, 5e-324, 0.1]);
  });

  test('in seconds fails with the whole call, unless allow_old_ts is set', async () => {
    const dataset = await events().createdId();
    const records = [1, Math.floor(Date.now() / 1000)].map((ts, n) => recordOf('event', `e-${n}`, { ts }));
    const { body } = await events().upsert(dataset, records);
    expect(body.succeed_ids).toEqual([]);
    expect(body.failures).toMatchObject([{ code: 'TIME_UNIT' }, { code: 'TIME_UNIT' }]);
    const allowed = await events().upsert(dataset, records, { allow_old_ts: true });
    expect(allowed.body.succeed_ids).toEqual(['e-0', 'e-1']);
  });

  test('may nest its attributes 32 levels deep, and no deeper', async () => {
    const dataset = await events().createdId();
    // The attributes themselves are the first level.
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    const { body } = await events().upsert(dataset, [
      recordOf('event', 'at', { attributes: nested(32) }),
      recordOf('event', 'over', { attributes: nested(33) }),
    ]);
    expect(body.succeed_ids).toEqual(['at']);
    expect(body.failures).toMatchObject([{ id: 'over', code: 'FIELD_INVALID' }]);
  });
});
