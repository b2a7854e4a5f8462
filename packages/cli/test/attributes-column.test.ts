import { expect, test } from 'vitest';
import { recordMaker } from '../src/import/make-records.ts';
import { type MappingWishes, makeMapping } from '../src/import/mapping.ts';

const nothing: MappingWishes = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function attributesOf(cell: unknown, wishes: Partial<MappingWishes> = {}): unknown {
  const columns = ['item_id', 'attributes', 'year'];
  const row = ['a', cell, '1999'];
  const mapping = makeMapping('items', columns, [row], { ...nothing, ...wishes });
  return (recordMaker(mapping, columns)(row) as { attributes?: unknown }).attributes;
}

test('an object may be written as JSON text, as in CSV, and other columns join it', () => {
  expect(attributesOf('{"genre":"Crime","id":1234567890123456781}')).toEqual({
    ...{ genre: 'Crime', id: '1234567890123456781' },
    year: 1999,
  });
  expect(attributesOf({ genre: 'Crime' })).toEqual({ genre: 'Crime', year: 1999 });
  for (const empty of ['', null, undefined]) expect(attributesOf(empty)).toEqual({ year: 1999 });
});

test('what is no object is sent as it is, for the service to refuse', () => {
  for (const cell of [['x', 'y'], '["x"]', 'genre=Crime', '7', 7, true])
    expect(attributesOf(cell)).toEqual(cell);
});

test('a column of attributes can be left out', () => {
  expect(attributesOf({ email: 'a@b.c' }, { skip: ['attributes'] })).toEqual({ year: 1999 });
});
