import { describe, expect, test } from 'vitest';
import { compileFilter, createFilterCache } from '../../src/filters/compile-filter.ts';

const film = {
  title: 'The Apartment',
  price: 12.5,
  stock: 3,
  year: 1960,
  restored: true,
  genres: ['Comedy', 'Drama'],
  ratings: [7, 8.5, 9],
  'release date': '1960-06-15',
  nothing: null,
};
const matches = (text: string, attributes: Readonly<Record<string, unknown>> = film) =>
  compileFilter(text).matches(attributes, 'f1');

describe('a filter', () => {
  test.each([
    ['item.price < 20.0 && "Comedy" in item.genres', true],
    ['item.price < 20', true],
    ['item.price >= 12.5 && item.price <= 12.5', true],
    ['item.price > 12.5', false],
    ['item.stock == 3', true],
    ['item.stock == 3.0', true],
    ['item.stock != 3', false],
    ['item.stock in [1, 2]', false],
    ['item.stock in [1, 2, 3]', true],
    ['item.stock in [1.0, 3.0]', true],
    ['-item.stock == -3 && item.stock in [-3, 3]', true],
    ['0x10 == 16 && 1e3 == 1000', true],
    ['item.stock * 2 + 1 == 7 && item.stock - 1 == 2', true],
    ['item.stock / 2 == 1.5', true],
    ['item.stock % 2 == 1 && -7 % 2 == -1', true],
    ['item.price % 2 == 0.5', false],
    ['item.stock / 0 > 0 || item.stock / 0 <= 0', false],
    ['item.restored', true],
    ['!item.restored', false],
    ['item.restored == true && false < item.restored', true],
    ['item.title == "The Apartment" && item.title == \'The Apartment\'', true],
    ['item.title < "The B" && item.title > "The"', true],
    ['item.title + "!" == "The Apartment!"', true],
    ['item.title.contains("part") && item.title.startsWith("The ") && item.title.endsWith("ment")', true],
    ['item.title.contains("PART")', false],
    ['item.title.matches("^The [A-Z]") && item.title.matches("(?i)APART")', true],
    ['item.title.matches("^Apart")', false],
    [String.raw`item.title.matches(r"\bApart\w+$")`, true],
    ['item.title.size() == 13 && size(item.genres) == 2', true],
    ['item["release date"] >= "1960" && "release date" in item', true],
    ['item["pri" + "ce"] == 12.5', true],
    ['item.genres[0] == "Comedy" && item.genres[1] == "Drama"', true],
    ['item.genres[2] == "Drama" || item.genres[-1] == "Drama" || item.genres[0.5] == ""', false],
    ['item.genres == ["Comedy", "Drama"] && item.genres != ["Drama", "Comedy"]', true],
    ['item.genres + ["War"] == ["Comedy", "Drama", "War"]', true],
    ['[item.stock, 1] == [3, 1] && [] == []', true],
    ['item.genres in [["Comedy"], ["Comedy", "Drama"]]', true],
    ['item.genres.exists(genre, genre.startsWith("Com"))', true],
    ['item.genres.all(genre, genre.size() > 5)', false],
    ['item.genres.exists_one(genre, genre in ["Drama", "War"])', true],
    ['item.ratings.filter(rating, rating > 8).size() == 2', true],
    ['item.ratings.map(rating, rating * 2) == [14, 17, 18]', true],
    ['item.ratings.map(rating, rating > 8, rating - 8) == [0.5, 1]', true],
    ['item.ratings.exists(a, item.ratings.exists(b, a + b == 15.5))', true],
    ['[1, 2].exists(a, [3].exists(a, a == 3) && a == 2)', true],
    ['[].all(x, x) && ![].exists(x, x)', true],
    ['item.year < 1970 ? item.price < 20 : item.price < 5', true],
    ['true', true],
    ['// cheap\nitem.price < 20 // or so', true],
  ])('%s is %j', (text, expected) => {
    expect(matches(text)).toBe(expected);
  });

  test.each([
    ['item.missing == 1', false],
    ['item.missing != 1', false],
    ['!(item.missing == 1)', false],
    ['item.missing == item.missing', false],
    ['has(item.missing)', false],
    ['!has(item.missing)', true],
    ['"missing" in item', false],
    ['has(item.nothing) || item.nothing == 1', false],
    ['item.missing == 1 || item.price < 20', true],
    ['item.price < 20 || item.missing == 1', true],
    ['item.missing == 1 || item.price > 20', false],
    ['!(item.missing == 1 && item.price > 20)', true],
    ['!(item.price > 20 && item.missing == 1)', true],
    ['!(item.missing == 1 && item.price < 20)', false],
    ['item.title < 20', false],
    ['item.title == 20', false],
    ['item.title != 20', true],
    ['item.price', false],
    ['item.price && true', false],
    ['item.price || true', true],
    ['!item.price', false],
    ['item.price.contains("1") || item.title.exists(x, true)', false],
    ['item.genres < item.genres || item.missing', false],
    ['item.missing ? true : true', false],
    ['item.missing in [1] || 1 in item.missing', false],
    ['item.genres.exists(x, x > 1 || x == "Drama")', true],
    ['item.genres.exists(x, x > 1)', false],
    ['!item.genres.all(x, x > 1 || x == "Drama")', false],
    ['item.genres.filter(x, x == "Drama" || x > 1) == ["Drama"]', false],
  ])('evaluates %s to %j when attributes are missing or of another type', (text, expected) => {
    expect(matches(text)).toBe(expected);
  });

  test('reads the ID of the item, unless an attribute has that name', () => {
    const filter = compileFilter('item.item_id == "f1" && has(item.item_id) && "item_id" in item');
    expect(filter.matches({}, 'f1')).toBe(true);
    expect(filter.matches({ item_id: null }, 'f1')).toBe(true);
    expect(filter.matches({}, 'f2')).toBe(false);
    expect(filter.matches({ item_id: 'f2' }, 'f1')).toBe(false);
    expect(filter.matches({})).toBe(false);
  });

  test('reads own properties only', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length', 'prototype']) {
      expect(matches(`has(item.${name})`)).toBe(false);
      expect(matches(`item["${name}"] == item["${name}"]`)).toBe(false);
      const own = JSON.parse(`{"${name}": 1}`) as Record<string, unknown>;
      expect(matches(`item.${name} == 1 && "${name}" in item`, own)).toBe(true);
    }
    expect(matches('item.genres[item.name] == 2', { ...film, name: 'length' })).toBe(false);
    expect(matches('has(item.inner)', { inner: { constructor: 1 } })).toBe(false);
    expect(matches('item.x == "a"', Object.assign(Object.create(null) as object, { x: 'a' }))).toBe(true);
  });

  test('counts and orders texts by code point', () => {
    const emoji = { a: '😀', b: '～' };
    expect(matches('size(item.a) == 1 && item.b < item.a', emoji)).toBe(true);
    expect(matches('item.a == "\\U0001F600" && item.a.matches("^.$")', emoji)).toBe(true);
  });

  test('skips elements that are not values', () => {
    const odd = { list: [null, 'a', { b: 1 }] };
    expect(matches('"a" in item.list && item.list.exists(x, x == "a")', odd)).toBe(true);
    expect(matches('"b" in item.list || item.list == item.list || item.list[0] == 1', odd)).toBe(false);
  });
});

describe('the filter cache', () => {
  test('compiles a text once, and keeps few filters with patterns', () => {
    const cache = createFilterCache(32);
    const get = (text: string) => cache.get('an account', text);
    const plain = get('item.a == 1');
    const patterned = get('item.a.matches("b")');
    expect(get('item.a == 1')).toBe(plain);
    expect(get('item.a.matches("b")')).toBe(patterned);
    for (let count = 0; count < 16; count++) get(`item.a.matches("${count}")`);
    expect(get('item.a.matches("b")')).not.toBe(patterned);
    expect(() => get('item.a ==')).toThrow('line 1, column 10');
  });

  test('keeps the most recently used filters', () => {
    const cache = createFilterCache(4);
    const get = (text: string) => cache.get('an account', text);
    const first = get('item.a == 1');
    const second = get('item.a == 2');
    get('item.a == 1');
    get('item.a == 3');
    expect(get('item.a == 1')).toBe(first);
    expect(get('item.a == 2')).not.toBe(second);
  });
});
