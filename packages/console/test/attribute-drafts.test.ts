import { expect, test } from 'vitest';
import { changesBetween, draftsOf, valueOf } from '../src/screens/data/attribute-drafts.ts';

const attributes = {
  title: '42',
  price: 9.5,
  isNew: true,
  genres: ['Crime', 'Poetry'],
  odd: ['a, b', ''],
};

test('a form that nobody changed changes nothing, and keeps the kind of every value', () => {
  const drafts = draftsOf(attributes);
  expect(Object.fromEntries(drafts.map((draft) => [draft.name, valueOf(draft)]))).toEqual(attributes);
  expect(changesBetween(attributes, drafts)).toEqual({});
});

test('only what changed is sent, and what was removed as null', () => {
  const drafts = draftsOf(attributes)
    .filter(({ name }) => name !== 'isNew')
    .map((draft) => (draft.name === 'genres' ? { ...draft, text: 'Crime,  Drama ,' } : draft));
  expect(changesBetween(attributes, [...drafts, { name: 'stock', kind: 'number', text: '3' }])).toEqual({
    isNew: null,
    genres: ['Crime', 'Drama'],
    stock: 3,
  });
});

test('a text that is no number is not taken for one', () => {
  expect(valueOf({ name: 'price', kind: 'number', text: 'nine' })).toBeUndefined();
  expect(valueOf({ name: 'price', kind: 'number', text: '"9"' })).toBeUndefined();
  expect(valueOf({ name: 'any', kind: 'json', text: '{' })).toBeUndefined();
});
