import { describe, expect, test } from 'vitest';
import { encodeAll, encoder, learnCodes } from '../src/index.ts';

const records = Array.from({ length: 80 }, (_, index) => ({
  age: index,
  plan: index % 2 ? 'free' : 'paid',
  tags: index % 4 ? ['a'] : ['a', 'b'],
  name: `user ${index}`,
}));
const codes = learnCodes(
  [
    { name: 'age', kind: 'NUMERICAL' },
    { name: 'plan', kind: 'CATEGORICAL' },
    { name: 'tags', kind: 'CATEGORICAL' },
    { name: 'name', kind: 'CATEGORICAL' },
  ],
  records,
);

describe('attributes as tokens', () => {
  test('numbers fall into bins of equal counts', () => {
    const { column, offsets } = encodeAll(codes, records);
    const bins = records.map((_, row) => column[offsets[row]!]!);
    for (let bin = 0; bin < 8; bin++) expect(bins.filter((of) => of === bin)).toHaveLength(10);
  });

  test('values that hardly any record shares get no token', () => {
    expect(codes.at(-1)).toEqual({ name: 'name', kind: 'CATEGORICAL', values: [] });
  });

  test('lists have one token per value; missing and unknown values have none', () => {
    const encode = encoder(codes);
    expect(encode({ tags: ['a', 'b', 'a', 'z'] })).toHaveLength(2);
    expect(encode({ age: Number.NaN, plan: null, other: 1 })).toEqual([]);
  });

  test('a missing record has an empty row', () => {
    const { offsets, rows } = encodeAll(codes, [undefined, records[0]]);
    expect([rows, offsets[1]]).toEqual([2, 0]);
    expect(offsets[2]).toBeGreaterThan(0);
  });

  test('a single value gives a single bin', () => {
    const [code] = learnCodes([{ name: 'x', kind: 'NUMERICAL' }], [{ x: 3 }, { x: 3 }, { x: 3 }]);
    expect(code).toEqual({ name: 'x', kind: 'NUMERICAL', edges: [] });
  });
});
