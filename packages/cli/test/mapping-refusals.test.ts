import { describe, expect, test } from 'vitest';
import type { Kind } from '../src/import/fields.ts';
import { recordMaker } from '../src/import/make-records.ts';
import { type MappingWishes, makeMapping } from '../src/import/mapping.ts';
import type { ValueKind } from '../src/import/values.ts';

const nothing: MappingWishes = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

function record(kind: Kind, columns: string[], row: unknown[], wishes: Partial<MappingWishes> = {}): unknown {
  return recordMaker(makeMapping(kind, columns, [row], { ...nothing, ...wishes }), columns)(row);
}

const as = (name: string, kind: ValueKind) => ({ as: new Map([[name, kind]]) });

describe('two columns of one name', () => {
  const columns = ['item_id', 'tag', 'tag', '', ''];
  const row = ['a', 'first', 'second', 'x', 'y'];
  test('are refused, with the way to name them', () => {
    expect(() => record('items', columns, row)).toThrow(
      expect.objectContaining({
        message: 'Two columns are called tag.',
        next: expect.stringContaining('--columns') as string,
      }),
    );
  });
  test('may be left out, and so are columns without a name', () => {
    expect(record('items', columns, row, { skip: ['tag'] })).toEqual({ item_id: 'a', attributes: {} });
  });
});

describe('a kind that is said', () => {
  test('for nothing that is imported is refused, with what there is', () => {
    expect(() => record('users', ['user_id', 'age'], ['a', '3'], as('Age', 'text'))).toThrow(
      expect.objectContaining({
        message: '--as Age=text is of nothing that is imported.',
        next: 'It may name: user_id, age.',
      }),
    );
  });
  test('must fit', () => {
    expect(() => record('users', ['user_id', 'age'], ['a', '3'], as('age', 'ms'))).toThrow('does not fit');
    const columns = ['user_id', 'item_id', 'ts', 'event_type'];
    expect(() => record('events', columns, ['u', 'i', '1', 't'], as('ts', 'text'))).toThrow('does not fit');
  });
});

test('an attribute called ts is an attribute like others', () => {
  expect(record('items', ['item_id', 'ts'], ['a', 'n/a'])).toEqual({
    ...{ item_id: 'a', attributes: { ts: 'n/a' } },
  });
  expect(record('users', ['user_id', 'ts'], ['a', '5'], as('ts', 'text'))).toEqual({
    ...{ user_id: 'a', attributes: { ts: '5' } },
  });
});
