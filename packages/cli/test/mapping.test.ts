import { describe, expect, test } from 'vitest';
import type { Kind } from '../src/import/fields.ts';
import { recordMaker } from '../src/import/make-records.ts';
import { type MappingWishes, makeMapping } from '../src/import/mapping.ts';
import type { Cells } from '../src/import/sources/source.ts';

const nothing: MappingWishes = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function records(kind: Kind, columns: string[], rows: Cells[], wishes: Partial<MappingWishes> = {}) {
  const make = recordMaker(makeMapping(kind, columns, rows, { ...nothing, ...wishes }), columns);
  return rows.map(make);
}

describe('headers are understood as people write them', () => {
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

  test('a rating is the value, other columns are attributes, and an id is taken as it is', () => {
    const columns = ['id', 'user', 'item', 'time', 'type', 'rating', 'device'];
    expect(
      records('events', columns, [['e1', 'u', 'i', '1700000000000', 'rate', '4.5', 'phone']]),
    ).toMatchObject([
      { event_id: 'e1', ts: 1_700_000_000_000, event_value: 4.5, attributes: { device: 'phone' } },
    ]);
  });

  test('what is said comes before what is guessed', () => {
    const wishes = {
      map: new Map([
        ['user_id', 'who'],
        ['ts', 'user'],
        ['place', 'where'],
      ]),
      skip: ['junk'],
      eventType: 'visit',
    };
    const columns = ['who', 'item', 'user', 'where', 'junk', 'type'];
    expect(records('events', columns, [['w', 'i', '2026-01-31', 'Rome', 'x', 't']], wishes)).toMatchObject([
      {
        user_id: 'w',
        ts: Date.UTC(2026, 0, 31),
        event_type: 'visit',
        attributes: { place: 'Rome', type: 't' },
      },
    ]);
  });

  test('what is missing is named, with the way to name it', () => {
    expect(() => records('events', ['user_id', 'ts'], [['u', '1']])).toThrow('No column looks like item_id');
    expect(() => records('users', ['name'], [['x']])).toThrow('No column looks like user_id');
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

  test('what is no time is refused before anything is sent', () => {
    expect(() => at('yesterday')).toThrow('holds "yesterday"');
    expect(() => at('2023-02-31')).toThrow('holds "2023-02-31"');
  });
});

describe('attributes', () => {
  const attributesOf = (name: string, ...cells: unknown[]) =>
    records(
      'items',
      ['item_id', name],
      cells.map((cell, n) => [`i${n}`, cell]),
    ).map((record) => (record as { attributes: Record<string, unknown> }).attributes[name]);
  test('numbers are numbers, unless one begins with a zero as a code does', () => {
    expect(attributesOf('price', '9.5', '10', '')).toEqual([9.5, 10, undefined]);
    expect(attributesOf('zip', '02139', '10001')).toEqual(['02139', '10001']);
  });
  test('lists are split when every value looks like one', () => {
    expect(attributesOf('genres', 'Action|Comedy', 'Drama')).toEqual([['Action', 'Comedy'], ['Drama']]);
    expect(attributesOf('title', 'Crime | Punishment', 'Emma')).toEqual(['Crime | Punishment', 'Emma']);
    expect(attributesOf('odd', 'a||b', 'c|d')).toEqual(['a||b', 'c|d']);
  });
  test('true and false, and values that have a type already', () => {
    expect(attributesOf('new', 'true', 'FALSE')).toEqual([true, false]);
    expect(attributesOf('tags', ['a', 'b'], ['c'])).toEqual([['a', 'b'], ['c']]);
  });
  test('one that does not fit what the others are is sent as it is', () => {
    const columns = ['item_id', 'year'];
    const sample = [['i1', '1999']];
    const make = recordMaker(makeMapping('items', columns, sample, nothing), columns);
    expect(make(['i2', 'unknown'])).toEqual({ item_id: 'i2', attributes: { year: 'unknown' } });
  });
  test('records that are written as the API has them are taken as they are', () => {
    expect(records('users', ['user_id', 'attributes'], [['u', { age: 3 }]])).toEqual([
      { user_id: 'u', attributes: { age: 3 } },
    ]);
  });
});

describe('an event id that is made', () => {
  const idOf = (user: string, item: string) =>
    (
      records('events', ['user', 'item', 'ts', 'type'], [[user, item, '1700000000', 'view']])[0] as {
        event_id: string;
      }
    ).event_id;
  test('is never the same for different events', () => {
    expect(idOf('a|b', 'c')).not.toBe(idOf('a', 'b|c'));
    expect(idOf('a\\', '|c')).not.toBe(idOf('a\\|', 'c'));
  });
  test('fits however long its parts are', () => {
    expect(idOf('u'.repeat(200), 'i'.repeat(200))).toMatch(/^[0-9a-f]{64}$/);
  });
});
