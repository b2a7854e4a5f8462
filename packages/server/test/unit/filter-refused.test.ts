import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../src/filters/compile-filter.ts';
import { ApiError } from '../../src/http/api-error.ts';

function refusalOf(text: string): string {
  try {
    compileFilter(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('INVALID_REQUEST');
    const [only] = error.errors;
    expect(error.errors).toHaveLength(1);
    expect(only?.path).toBe('filter_query');
    expect(error.message).toContain(only?.message);
    return only?.message ?? '';
  }
  return 'accepted';
}

describe('a filter is refused with the position and advice', () => {
  test.each([
    ['genres == "x"', 1, 'did you mean item.genres?'],
    ['item.price < 20 && Item.stock > 0', 20, 'did you mean item?'],
    ['item.a == True', 11, 'did you mean true?'],
    ['item.genre == Comedy', 15, 'quotes'],
    ['item.genres.exists(genre, genr == "x")', 27, 'did you mean genre?'],
    ['item == 1', 1, 'item.price'],
    ['item.a.b == 1', 8, 'item["a.b"]'],
    ['item.title.startswith("x")', 1, 'did you mean startsWith?'],
    ['contains(item.title, "x")', 1, 'item.title.contains(…)'],
    ['timestamp(item.date) > 1', 1, 'has, contains'],
    ['item.title.contains()', 1, 'item.title.contains('],
    ['size(1, 2) == 1', 1, 'size(item.genres)'],
    ['item.price = 20', 12, 'Write == to compare'],
    ['item.price === 20', 12, 'Write == to compare'],
    ['item.price <> 20', 12, 'Write != for'],
    ['item.price ==) 20', 14, '")" is not expected here.'],
    ['item.a == 1 constructor', 13, '"constructor" is not expected here.'],
    ['item.a == 1 and item.b == 2', 13, 'Write && for "and"'],
    ['item.a == 1 OR item.b == 2', 13, 'Write || for "or"'],
    ['item.a == 1 & item.b == 2', 13, 'Write && for "and"'],
    ['not item.a', 1, 'Write ! for "not"'],
    ['item.a == “x”', 11, 'plain quotes'],
    ['item.a ==', 10, 'closing'],
    ['(item.a == 1', 13, 'closing'],
    ['item.a == "x', 11, 'no closing quote'],
    ['item.a == 1)', 12, '")" is not expected'],
    ['', 1, 'empty'],
    [' \n ', 1, 'empty'],
    ['item.a == null', 11, '!has(item.x)'],
    ['item.a == 5u', 11, '5u'],
    ['item.a == b"x"', 11, 'b"a"'],
    ['item.a == 9007199254740993', 11, '9007199254740991'],
    ['{"a": 1} == item.a', 1, 'maps'],
    ['has(item)', 1, 'has(item.price)'],
    ['has(item["a b"])', 1, '"release date" in item'],
    ['item.genres.exists(item, true)', 1, 'exists(x, condition)'],
    ['item.genres.exists(x)', 1, 'item.genres.exists(x, condition)'],
    ['item.genres.map(x)', 1, 'map(x, value) or item.genres.map(x, condition, value)'],
    ['item.title.matches(item.pattern)', 20, 'a pattern in quotes'],
    ['item.title.matches("(?=a)")', 20, 'look-around'],
    ['item.title.matches("(")', 20, 'missing closing )'],
  ])('%s', (text, column, words) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(words);
    expect(refusal).toMatch(new RegExp(`^line 1, column ${column}: `));
  });

  test.each([
    ['item.price + 1', 1, /true or false/],
    ['"Comedy"', 1, /true or false/],
    ['[item.a]', 1, /true or false/],
    ['item.a ? 1 : 2', 1, /true or false/],
    ['item.a == 1 && 5', 16, /&&.*boolean.*number/],
    ['!size(item.a)', 2, /!.*boolean.*number/],
    ['1 == "1"', 1, /==.*number.*string/],
    ['"a" < 1', 1, /<.*string.*number/],
    ['[1] < item.a', 1, /<.*number.*string.*boolean.*list/],
    ['"a" - item.b == 1', 1, /-.*number.*string/],
    ['item.a + true == 1', 10, /\+.*number.*boolean/],
    ['-"a" == 1', 2, /-.*number/],
    ['item.a in "Comedy"', 11, /item\.x\.contains/],
    ['[item.a].contains("x")', 1, /" in item\.x/],
    ['item.a.contains(1)', 17, /contains.*string.*number/],
    ['1 in item', 1, /string.*number/],
    ['item[1] == 2', 6, /string.*number/],
    ['item.a["x"] == 2', 8, /number.*string/],
    ['"abc"[0] == "a"', 1, /list.*string/],
    ['"abc".exists(x, true)', 1, /exists.*list/],
    ['item.a.exists(x, 1)', 18, /exists.*boolean/],
    ['5 ? true : false', 1, /boolean.*number/],
  ])('if it can never be true, such as %s', (text, column, words) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatch(words);
    expect(refusal).toMatch(new RegExp(`^line 1, column ${column}: `));
  });

  test('with line and column as an editor counts them', () => {
    expect(refusalOf('item.a == "😀" &&\n  "😀😀" == genre')).toMatch(/^line 2, column 11: /);
  });

  test('without repeating a long text', () => {
    expect(refusalOf('a'.repeat(4096)).length).toBeLessThan(250);
    expect(refusalOf(`${'a'.repeat(4000)}(1)`).length).toBeLessThan(250);
    expect(refusalOf(`item.${'a'.repeat(2000)}.${'b'.repeat(2000)} == 1`).length).toBeLessThan(250);
    expect(refusalOf(`item.a.matches("${'('.repeat(250)}")`).length).toBeLessThan(500);
  });
});
