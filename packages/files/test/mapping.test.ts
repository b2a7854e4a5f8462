import { describe, expect, test } from 'vitest';
import type { Kind } from '../src/fields.ts';
import { createMapping, type MappingOptions } from '../src/mapping.ts';
import { createRecordMapper } from '../src/record-mapper.ts';
import type { Cells } from '../src/sources/source.ts';

const nothing: MappingOptions = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function records(kind: Kind, columns: string[], rows: Cells[], options: Partial<MappingOptions> = {}) {
  const toRecord = createRecordMapper(
    createMapping(kind, columns, rows, { ...nothing, ...options }),
    columns,
  );
  return rows.map(toRecord);
}

describe('common column names are recognized', () => {
  const row = ['u', 'i', '1700000000', 'view'];
  test.each([
    [['user_id', 'item_id', 'timestamp', 'event_type']],
    [['userId', 'movieId', 'ts', 'action']],
    [['UID', 'Product ID', 'Time', 'event']],
    [['customer-id', 'sku', 'created_at', 'type']],
    [['visitorid', 'itemid', 'date', 'behavior_type']],
  ])('%j', (columns) => {
    expect(records('events', columns, [row])).toEqual([
      {
        event_id: 'u|i|1700000000000|view',
        user_id: 'u',
        item_id: 'i',
        ts: 1_700_000_000_000,
        event_type: 'view',
      },
    ]);
  });

  test('a rating becomes the value, an ID is kept, and other columns become attributes', () => {
    const columns = ['id', 'user', 'item', 'time', 'type', 'rating', 'device'];
    expect(
      records('events', columns, [['e1', 'u', 'i', '1700000000000', 'rate', '4.5', 'phone']]),
    ).toMatchObject([
      { event_id: 'e1', ts: 1_700_000_000_000, event_value: 4.5, attributes: { device: 'phone' } },
    ]);
  });

  test('options take precedence over guesses', () => {
    const options = {
      map: new Map([
        ['user_id', 'who'],
        ['ts', 'user'],
        ['place', 'where'],
      ]),
      skip: ['junk'],
      eventType: 'visit',
    };
    const columns = ['who', 'item', 'user', 'where', 'junk', 'type'];
    expect(records('events', columns, [['w', 'i', '2026-01-31', 'Rome', 'x', 't']], options)).toMatchObject([
      {
        user_id: 'w',
        ts: Date.UTC(2026, 0, 31),
        event_type: 'visit',
        attributes: { place: 'Rome', type: 't' },
      },
    ]);
  });

  test('the error about a missing column names the field and suggests --map', () => {
    const missing = (field: string) =>
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining(field) as string,
        next: expect.stringContaining(`--map ${field}=`) as string,
      }) as Error;
    expect(() => records('events', ['user_id', 'ts'], [['u', '1']])).toThrow(missing('item_id'));
    expect(() => records('users', ['name'], [['x']])).toThrow(missing('user_id'));
  });
});

describe('times', () => {
  const at = (cell: unknown) =>
    (records('events', ['user', 'item', 'ts', 'type'], [['u', 'i', cell, 't']])[0] as { ts: unknown }).ts;
  test.each([
    ['1700000000', 1_700_000_000_000],
    ['1700000000.25', 1_700_000_000_250],
    ['1700000000123', 1_700_000_000_123],
    ['1700000000123456', 1_700_000_000_123],
    ['1700000000123456789', 1_700_000_000_123],
    ['2023-11-14T22:13:20Z', 1_700_000_000_000],
    ['2023-11-14 22:13:20.5', 1_700_000_000_500],
    ['2023-11-15T00:13:20+02:00', 1_700_000_000_000],
    ['2023/11/14', Date.UTC(2023, 10, 14)],
    [1_700_000_000, 1_700_000_000_000],
    [new Date(1_700_000_000_000), 1_700_000_000_000],
  ])('%j', (cell, ts) => expect(at(cell)).toBe(ts));

  test('a column without times is refused before anything is sent', () => {
    expect(() => at('yesterday')).toThrow('"yesterday"');
    expect(() => at('2023-02-31')).toThrow('"2023-02-31"');
  });
});

describe('attributes', () => {
  const attributesOf = (name: string, ...cells: unknown[]) =>
    records(
      'items',
      ['item_id', name],
      cells.map((cell, n) => [`i${n}`, cell]),
    ).map((record) => (record as { attributes: Record<string, unknown> }).attributes[name]);
  test('numbers are numbers, unless one has a leading zero', () => {
    expect(attributesOf('price', '9.5', '10', '')).toEqual([9.5, 10, undefined]);
    expect(attributesOf('zip', '02139', '10001')).toEqual(['02139', '10001']);
  });
  test('lists are split if every value looks like one', () => {
    expect(attributesOf('genres', 'Action|Comedy', 'Drama')).toEqual([['Action', 'Comedy'], ['Drama']]);
    expect(attributesOf('title', 'Crime | Punishment', 'Emma')).toEqual(['Crime | Punishment', 'Emma']);
    expect(attributesOf('odd', 'a||b', 'c|d')).toEqual(['a||b', 'c|d']);
  });
  test('true and false are booleans, and typed values are kept', () => {
    expect(attributesOf('new', 'true', 'FALSE')).toEqual([true, false]);
    expect(attributesOf('tags', ['a', 'b'], ['c'])).toEqual([['a', 'b'], ['c']]);
  });
  test('a later value that does not fit the type is sent unchanged', () => {
    const columns = ['item_id', 'year'];
    const sample = [['i1', '1999']];
    const toRecord = createRecordMapper(createMapping('items', columns, sample, nothing), columns);
    expect(toRecord(['i2', 'unknown'])).toEqual({ item_id: 'i2', attributes: { year: 'unknown' } });
  });
  test('records in the format of the API are kept unchanged', () => {
    expect(records('users', ['user_id', 'attributes'], [['u', { age: 3 }]])).toEqual([
      { user_id: 'u', attributes: { age: 3 } },
    ]);
  });
});

describe('a generated event ID', () => {
  const idOf = (user: string, item: string) =>
    (
      records('events', ['user', 'item', 'ts', 'type'], [[user, item, '1700000000', 'view']])[0] as {
        event_id: string;
      }
    ).event_id;
  test('differs for different events', () => {
    expect(idOf('a|b', 'c')).not.toBe(idOf('a', 'b|c'));
    expect(idOf('a\\', '|c')).not.toBe(idOf('a\\|', 'c'));
  });
  test('is within the length limit, however long its parts are', () => {
    expect(idOf('u'.repeat(200), 'i'.repeat(200))).toMatch(/^[0-9a-f]{64}$/);
  });
});
