import { expect, test } from 'vitest';
import { type Condition, fromCel, operators, operatorsFor, toCel } from '../src/filters/conditions.ts';

const hints = [
  { name: 'title', kind: 'text', values: [] },
  { name: 'price', kind: 'number', values: [] },
  { name: 'genres', kind: 'list', values: [] },
  { name: 'isNew', kind: 'boolean', values: [] },
  { name: 'release date', kind: 'text', values: [] },
] as const;
const kinds = new Map(hints.map(({ name, kind }) => [name, kind] as const));

test('conditions are written as a filter that all or any of them must match', () => {
  const conditions: Condition[] = [
    { attribute: 'price', operator: 'less', value: '20' },
    { attribute: 'genres', operator: 'hasNot', value: 'Crime "noir"' },
    { attribute: 'release date', operator: 'is', value: '2024' },
  ];
  const [price, genres, date] = [
    'item.price < 20',
    '!("Crime \\"noir\\"" in item.genres)',
    'item["release date"] == "2024"',
  ];
  expect(toCel(conditions, 'all', kinds)).toBe(`${price} && ${genres} && ${date}`);
  expect(toCel(conditions, 'any', kinds)).toBe(`${price} || ${genres} || ${date}`);
});

test('a condition without a value of its kind is left out', () => {
  const conditions: Condition[] = [
    { attribute: 'price', operator: 'less', value: 'cheap' },
    { attribute: 'title', operator: 'contains', value: '' },
    { attribute: 'isNew', operator: 'yes', value: '' },
  ];
  expect(toCel(conditions, 'all', kinds)).toBe('item.isNew == true');
});

test('every filter that the builder writes is read again', () => {
  const values = { text: 'A "b" \\ ü', number: '-1.5', boolean: '', list: 'x y' };
  for (const { name, kind } of hints)
    for (const operator of operatorsFor(kind)) {
      const value = operators[operator].hasValue ? values[kind] : '';
      const conditions = [{ attribute: name, operator, value }];
      const text = toCel(conditions, 'all', kinds);
      expect(fromCel(text, hints)).toEqual({ conditions, join: 'all' });
      const twice = [...conditions, { attribute: 'price', operator: 'more' as const, value: '2' }];
      expect(fromCel(toCel(twice, 'any', kinds), hints)).toEqual({ conditions: twice, join: 'any' });
    }
});

test.each([
  'item.price < 20 && (item.isNew == true || "x" in item.genres)',
  'item.other == "x"',
  'size(item.genres) > 1',
])('the filter %s stays as it is', (text) => {
  expect(fromCel(text, hints)).toBeUndefined();
});
