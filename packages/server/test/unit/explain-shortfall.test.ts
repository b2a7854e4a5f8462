import { expect, test } from 'vitest';
import { compileFilter } from '../../src/filters/compile-filter.ts';
import { explainTooFew } from '../../src/serving/search/find-items.ts';
import type { Search } from '../../src/serving/search/search-catalogue.ts';

const books = [
  { genres: ['Crime'], 'release date': 2020 },
  { genres: ['Crime'], price: 3 },
];
const explain = (filter: string, found = 0, attributesOf = (number: number) => books[number]) =>
  explainTooFew(
    {
      filter: compileFilter(filter),
      request: { exclude_seen: false } as Search['request'],
      mirror: { attributesOf } as NonNullable<Search['mirror']>,
    },
    found,
  );

test.each([
  ['item.genre == "Crime"', '"genre" is not an attribute of the items; did you mean "genres"?'],
  ['item.genres.size() > 9 && item["release_date"] > 1', 'did you mean "release date"?'],
])('%s matches nothing, and suggests the name that was probably meant', (filter, suggestion) => {
  expect(explain(filter)).toMatchObject({
    code: 'NO_MATCH',
    text: expect.stringContaining(suggestion) as string,
  });
});

test.each([
  ['names an attribute that items have', 'item.price > 1000.0', 0],
  ['names one that resembles none', 'item.weight > 1.0', 0],
  ['matches', 'item.genre == "Crime"', 1],
])('a filter that %s gets no suggestion', (_, filter, found) => {
  expect(explain(filter, found).text).not.toContain('did you mean');
});

test('few items are looked at if they have many attributes', () => {
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`attribute ${n}`, n]));
  let read = 0;
  explain('item.genre == "Crime"', 0, () => {
    read++;
    return wide as unknown as (typeof books)[number];
  });
  expect(read).toBe(1);
});
