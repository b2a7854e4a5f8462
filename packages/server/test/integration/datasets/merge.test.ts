import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { KindCaller, kinds, placeOf, recordOf, recordsOf, setCount, storedRecords } from '../stack/kinds.ts';
import { api, caller, invalid, test } from '../stack/stack.ts';

const merge = { mode: 'MERGE' };

describe.each(kinds)('a MERGE of %ss', (kind) => {
  const of = () => new KindCaller(caller, kind);
  const idOf = (id: string, attributes?: object) => ({
    [of().names.id]: id,
    ...(attributes && { attributes }),
  });
  const attributesOf = async (dataset: string) =>
    Object.fromEntries(
      (await storedRecords(api.db, dataset)).map(({ id, attributes }) => [id, attributes ?? {}]),
    );

  test('sets the attributes that are sent, removes those that are null, and keeps the others', async () => {
    const dataset = await of().createdId();
    await of().upsert(dataset, [recordOf(kind, 'x', { attributes: { a: 1, b: 'two', c: ['x', 'y'] } })]);
    const { body } = await of().upsert(dataset, [idOf('x', { b: 'changed', c: null, d: true })], merge);
    expect(body).toMatchObject({ succeed_ids: ['x'], failed_ids: [], failed_count: 0, failures: [] });
    expect(await attributesOf(dataset)).toEqual({ x: { a: 1, b: 'changed', d: true } });
    await of().upsert(dataset, [idOf('x')], merge);
    await of().upsert(dataset, [idOf('x', { nothing: null })], merge);
    expect(await attributesOf(dataset)).toEqual({ x: { a: 1, b: 'changed', d: true } });
    await of().upsert(dataset, [idOf('x', { a: null, b: null, d: null })], merge);
    expect(await attributesOf(dataset)).toEqual({ x: {} });
    expect(await of().count(dataset)).toBe(1);
  });

  test('inserts new records without null attributes, and counts them', async () => {
    const dataset = await of().createdId();
    const records = [
      recordOf(kind, 'new', { attributes: { a: 1, b: null } }),
      recordOf(kind, '__proto__', { attributes: { c: null } }),
      recordOf(kind, 'plain'),
    ];
    expect((await of().upsert(dataset, records, merge)).body.succeed_ids).toEqual([
      'new',
      '__proto__',
      'plain',
    ]);
    expect(Object.entries(await attributesOf(dataset)).toSorted()).toEqual([
      ['__proto__', {}],
      ['new', { a: 1 }],
      ['plain', {}],
    ]);
    expect(await of().count(dataset)).toBe(3);
  });

  test('applies several records with one ID in order, and returns the ID once', async () => {
    const dataset = await of().createdId();
    await of().upsert(dataset, [recordOf(kind, 'x', { attributes: { old: 1, gone: 1 } })]);
    const { body } = await of().upsert(
      dataset,
      [
        idOf('x', { a: 1, gone: null }),
        recordOf(kind, 'y', { attributes: { b: 1 } }),
        idOf('x', { a: 2, c: 1 }),
        idOf('x', { c: null, d: 1 }),
        recordOf(kind, 'z'),
        idOf('z', { bad: '\u0000' }),
      ],
      merge,
    );
    expect(body.succeed_ids).toEqual(['y', 'x']);
    expect(body.failures).toMatchObject([{ index: 5, id: 'z', code: 'FIELD_INVALID' }]);
    expect(await attributesOf(dataset)).toEqual({ x: { old: 1, a: 2, d: 1 }, y: { b: 1 } });
  });

  test('loses no concurrent merge of a record', async () => {
    const dataset = await of().createdId();
    const names = Array.from({ length: 24 }, (_, n) => `a${n}`);
    const answers = await Promise.all(
      names.map((name) =>
        of().upsert(
          dataset,
          [recordOf(kind, 'x', { attributes: { [name]: name } }), recordOf(kind, name)],
          merge,
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { x } = await attributesOf(dataset);
    expect(x).toEqual(Object.fromEntries(names.map((name) => [name, name])));
    expect(await of().count(dataset)).toBe(names.length + 1);
  });

  test('fails only for the record that would become too large, and leaves it unchanged', async () => {
    const dataset = await of().createdId();
    const most = kind === 'event' ? limits.eventBytes : limits.userOrItemBytes;
    const full = recordOf(kind, 'full', {
      attributes: { list: ['a', 'b', 'c'], text: '' },
      ...(kind === 'event' && { event_value: 2 }),
    }) as { attributes: { list: string[]; text: string } };
    const free = most - Buffer.byteLength(JSON.stringify(full));
    full.attributes.text = 'x'.repeat(free - 10);
    expect((await of().upsert(dataset, [full])).body.failed_count).toBe(0);
    // `,"b":12345` has ten bytes, and ten bytes are left.
    const [small, large] = [{ b: 12_345 }, { b: 123_456 }];
    const { body } = await of().upsert(dataset, [idOf('full', large), recordOf(kind, 'other')], merge);
    expect(body).toMatchObject({
      succeed_ids: ['other'],
      failed_ids: ['full'],
      failed_count: 1,
      failures: [{ index: 0, id: 'full', code: 'RECORD_TOO_LARGE' }],
    });
    expect((await attributesOf(dataset))['full']).toEqual(full.attributes);
    expect((await of().upsert(dataset, [idOf('full', small)], merge)).body.succeed_ids).toEqual(['full']);
    const shrunk = await of().upsert(dataset, [idOf('full', { text: null, c: 'x'.repeat(1000) })], merge);
    expect(shrunk.body.succeed_ids).toEqual(['full']);
    expect(await of().count(dataset)).toBe(2);
  });

  test('does not exceed the ceiling', async () => {
    const dataset = await of().createdId();
    await of().upsert(dataset, [recordOf(kind, 'known')]);
    await setCount(api.db, dataset, 99_998);
    const records = [idOf('known', { a: 1 }), ...recordsOf(kind, ['n1', 'n2', 'n3'])];
    const { body } = await of().upsert(dataset, records, merge);
    expect(body.succeed_ids).toEqual(['known', 'n1', 'n2']);
    expect(body.failures).toMatchObject([{ id: 'n3', code: 'DATASET_FULL' }]);
    expect(await of().count(dataset)).toBe(100_000);
  });
});

describe('a MERGE of items', () => {
  test('records changed items only', async () => {
    const of = new KindCaller(caller, 'item');
    const dataset = await of.createdId({ attribute_schema: { price: 'NUMERICAL' } });
    await of.upsert(dataset, [recordOf('item', 'a', { attributes: { x: 1 } }), recordOf('item', 'b')]);
    const { dataset_key } = await placeOf(api.db, dataset);
    await api.rows('DELETE FROM item_changes WHERE dataset_key = $1', [dataset_key]);
    const records = [
      recordOf('item', 'a', { attributes: { x: 1 } }),
      recordOf('item', 'b', { attributes: { price: '12.5' } }),
    ];
    await of.upsert(dataset, records, merge);
    const noted = await api.rows('SELECT item_ids FROM item_changes WHERE dataset_key = $1', [dataset_key]);
    expect(noted).toEqual([{ item_ids: ['b'] }]);
    const wrong = recordOf('item', 'b', { attributes: { price: 'cheap' } });
    expect((await of.upsert(dataset, [wrong], merge)).body.failures).toMatchObject([
      { code: 'ATTRIBUTE_TYPE' },
    ]);
    expect((await storedRecords(api.db, dataset))[1]?.attributes).toEqual({ price: 12.5 });
  });
});

describe('a MERGE of events', () => {
  const of = () => new KindCaller(caller, 'event');

  test('keeps fields that are absent or null', async () => {
    const dataset = await of().createdId();
    await of().upsert(dataset, [
      recordOf('event', 'e', { event_value: 5, attributes: { a: { deep: null } } }),
    ]);
    await of().upsert(dataset, [{ event_id: 'e', ts: 2000, user_id: null, event_value: null }], merge);
    await of().upsert(dataset, [{ event_id: 'e', item_id: 'other', attributes: { b: 1 } }], merge);
    const [row] = await storedRecords(
      api.db,
      dataset,
      'user_id, item_id, ts::int, event_type, event_value, attributes',
    );
    expect(row).toEqual({
      id: 'e',
      user_id: 'u',
      item_id: 'other',
      ts: 2000,
      event_type: 'view',
      event_value: 5,
      attributes: { a: { deep: null }, b: 1 },
    });
    await of().upsert(dataset, [{ event_id: 'e', event_value: 0 }], merge);
    expect((await storedRecords(api.db, dataset))[0]?.event_value).toBe(0);
  });

  test('needs all fields of a new event, and fails only for that event otherwise', async () => {
    const dataset = await of().createdId();
    const nobody = { ...recordOf('event', 'nobody'), user_id: null };
    const { body } = await of().upsert(
      dataset,
      [{ event_id: 'bare' }, recordOf('event', 'whole'), nobody],
      merge,
    );
    expect(body.succeed_ids).toEqual(['whole']);
    expect(body.failures).toMatchObject([
      { index: 0, id: 'bare', code: 'FIELD_MISSING' },
      { index: 2, id: 'nobody', code: 'FIELD_MISSING' },
    ]);
    expect((await storedRecords(api.db, dataset)).map(({ id }) => id)).toEqual(['whole']);
    expect(await of().count(dataset)).toBe(1);
    const together = [
      { event_id: 'parts', user_id: 'u', ts: 1 },
      { event_id: 'parts', item_id: 'i', event_type: 't' },
    ];
    expect((await of().upsert(dataset, together, merge)).body.succeed_ids).toEqual(['parts']);
  });
});

test('an unknown mode is refused', async () => {
  const of = new KindCaller(caller, 'user');
  expect(await of.upsert(await of.createdId(), [], { mode: 'merge' })).toMatchObject(invalid('mode'));
});
