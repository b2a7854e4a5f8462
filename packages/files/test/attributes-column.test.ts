import { expect, test } from 'vitest';
import { createMapping, type MappingOptions } from '../src/mapping.ts';
import { createRecordMapper } from '../src/record-mapper.ts';

const nothing: MappingOptions = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function attributesOf(cell: unknown, options: Partial<MappingOptions> = {}): unknown {
  const columns = ['item_id', 'attributes', 'year'];
  const row = ['a', cell, '1999'];
  const mapping = createMapping('items', columns, [row], { ...nothing, ...options });
  return (createRecordMapper(mapping, columns)(row) as { attributes?: unknown }).attributes;
}

test('attributes can be JSON text, as in CSV, and are merged with other columns', () => {
  expect(attributesOf('{"genre":"Crime","id":1234567890123456781}')).toEqual({
    genre: 'Crime',
    id: '1234567890123456781',
    year: 1999,
  });
  expect(attributesOf({ genre: 'Crime' })).toEqual({ genre: 'Crime', year: 1999 });
  for (const empty of ['', null, undefined]) expect(attributesOf(empty)).toEqual({ year: 1999 });
});

test('attributes take precedence over a column of the same name, because JSON has types', () => {
  expect(attributesOf('{"year":"1999"}')).toEqual({ year: '1999' });
});

test('a value that is not an object is sent unchanged, for the service to reject', () => {
  for (const cell of [['x', 'y'], '["x"]', 'genre=Crime', '7', 7, true])
    expect(attributesOf(cell)).toEqual(cell);
});

test('the attributes column can be skipped', () => {
  expect(attributesOf({ email: 'a@b.c' }, { skip: ['attributes'] })).toEqual({ year: 1999 });
});
