import { describe, expect, test } from 'vitest';
import type { Kind } from '../src/fields.ts';
import { createMapping, type MappingOptions } from '../src/mapping.ts';
import { createRecordMapper } from '../src/record-mapper.ts';
import type { ValueKind } from '../src/values.ts';

const nothing: MappingOptions = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function record(
  kind: Kind,
  columns: string[],
  row: unknown[],
  options: Partial<MappingOptions> = {},
): unknown {
  return createRecordMapper(createMapping(kind, columns, [row], { ...nothing, ...options }), columns)(row);
}

const as = (name: string, kind: ValueKind) => ({ as: new Map([[name, kind]]) });

describe('two columns with the same name', () => {
  const columns = ['item_id', 'tag', 'tag', '', ''];
  const row = ['a', 'first', 'second', 'x', 'y'];
  test('are a usage error that suggests --columns', () => {
    expect(() => record('items', columns, row)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining('tag') as string,
        next: expect.stringContaining('--columns') as string,
      }),
    );
  });
  test('can be skipped; columns without a name always are', () => {
    expect(record('items', columns, row, { skip: ['tag'] })).toEqual({ item_id: 'a', attributes: {} });
  });
});

describe('--as', () => {
  test('for a name that is not imported is a usage error that lists the names', () => {
    expect(() => record('users', ['user_id', 'age'], ['a', '3'], as('Age', 'text'))).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining('--as Age=text') as string,
        next: expect.stringContaining('user_id, age') as string,
      }),
    );
  });
  test('must be a type that the field allows', () => {
    expect(() => record('users', ['user_id', 'age'], ['a', '3'], as('age', 'ms'))).toThrow('--as age=ms');
    const columns = ['user_id', 'item_id', 'ts', 'event_type'];
    expect(() => record('events', columns, ['u', 'i', '1', 't'], as('ts', 'text'))).toThrow('--as ts=text');
  });
});

test('users and items can have an attribute named ts', () => {
  expect(record('items', ['item_id', 'ts'], ['a', 'n/a'])).toEqual({
    item_id: 'a',
    attributes: { ts: 'n/a' },
  });
  expect(record('users', ['user_id', 'ts'], ['a', '5'], as('ts', 'text'))).toEqual({
    user_id: 'a',
    attributes: { ts: '5' },
  });
});
