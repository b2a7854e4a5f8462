import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import { compileFilter } from '../../src/serving/filter/compile-filter.ts';

function refusalOf(text: string): string {
  try {
    compileFilter(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toBe('INVALID_REQUEST');
    const [only] = error.errors;
    expect(error.errors).toHaveLength(1);
    expect(only?.path).toBe('filter_query');
    expect(error.message).toContain(only?.message);
    return only?.message ?? '';
  }
  return 'accepted';
}

describe('a filter is refused, with the place and what to do', () => {
  test.each([
    ['genres == "x"', 1, 'did you mean item.genres?'],
    ['item.price < 20 && Item.stock > 0', 20, 'did you mean item?'],
    ['item.a == True', 11, 'did you mean true?'],
    ['item.genre == Comedy', 15, 'Texts stand in quotes'],
    ['item.genres.exists(genre, genr == "x")', 27, 'did you mean genre?'],
    ['item == 1', 1, 'name an attribute, as item.price'],
    ['item.a.b == 1', 8, 'item["a.b"]'],
    ['item.title.startswith("x")', 1, 'did you mean startsWith?'],
    ['contains(item.title, "x")', 1, 'is called on a value, as item.title.contains(…)'],
    ['timestamp(item.date) > 1', 1, '"timestamp" is no function of filters. The functions are has, contains'],
    ['item.title.contains()', 1, 'contains takes one text'],
    ['size(1, 2) == 1', 1, 'size takes one text or list'],
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
    ['item.a ==', 10, 'it ends where more is expected'],
    ['(item.a == 1', 13, 'it ends where more is expected'],
    ['item.a == "x', 11, 'no closing quote'],
    ['item.a == 1)', 12, '")" is not expected'],
    ['', 1, 'it is empty'],
    [' \n ', 1, 'it is empty'],
    ['item.a == null', 11, '!has(item.x)'],
    ['item.a == 5u', 11, 'write 5 for 5u'],
    ['item.a == b"x"', 11, '"a" for b"a"'],
    ['item.a == 9007199254740993', 11, 'exact up to 9007199254740991'],
    ['{"a": 1} == item.a', 1, 'no maps'],
    ['has(item)', 1, 'has(item.price)'],
    ['has(item["a b"])', 1, '"release date" in item'],
    ['item.genres.exists(item, true)', 1, 'x being a name of your own'],
    ['item.genres.exists(x)', 1, 'item.genres.exists(x, condition)'],
    ['item.genres.map(x)', 1, 'map(x, value) or item.genres.map(x, condition, value)'],
    ['item.title.matches(item.pattern)', 20, 'a pattern in quotes'],
    ['item.title.matches("(?=a)")', 20, 'no look-around'],
    ['item.title.matches("(")', 20, 'the pattern cannot be used: missing closing )'],
  ])('%s', (text, column, words) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(words);
    expect(refusal).toMatch(new RegExp(`^line 1, column ${column}: `));
  });

  test.each([
    ['item.price + 1', 1, 'true or false'],
    ['"Comedy"', 1, 'true or false'],
    ['[item.a]', 1, 'true or false'],
    ['item.a ? 1 : 2', 1, 'true or false'],
    ['item.a == 1 && 5', 16, '&& takes true or false, and this is a number'],
    ['!size(item.a)', 2, '! takes true or false, and this is a number'],
    ['1 == "1"', 1, '== takes two of a kind, and these are a number and a text'],
    ['"a" < 1', 1, '< takes two of a kind'],
    ['[1] < item.a', 1, '< takes a number or a text or true or false, and this is a list'],
    ['"a" - item.b == 1', 1, '- takes a number, and this is a text'],
    ['item.a + true == 1', 10, '+ takes'],
    ['-"a" == 1', 2, '- takes a number'],
    ['item.a in "Comedy"', 11, 'item.x.contains("…")'],
    ['[item.a].contains("x")', 1, '"…" in item.x'],
    ['item.a.contains(1)', 17, 'contains takes a text, and this is a number'],
    ['1 in item', 1, 'takes a text'],
    ['item[1] == 2', 6, 'takes a text'],
    ['item.a["x"] == 2', 8, 'the place in a list takes a number'],
    ['"abc"[0] == "a"', 1, '[…] takes a list'],
    ['"abc".exists(x, true)', 1, 'exists takes a list'],
    ['item.a.exists(x, 1)', 18, 'exists takes true or false'],
    ['5 ? true : false', 1, 'before ? takes true or false'],
  ])('what can never be, as %s', (text, column, words) => {
    const refusal = refusalOf(text);
    expect(refusal).toContain(words);
    expect(refusal).toMatch(new RegExp(`^line 1, column ${column}: `));
  });

  test('by line and by character, as an editor counts', () => {
    expect(refusalOf('item.a == "😀" &&\n  "😀😀" == genre')).toMatch(/^line 2, column 11: /);
  });

  test('without repeating a long text', () => {
    expect(refusalOf('a'.repeat(4096)).length).toBeLessThan(250);
    expect(refusalOf(`${'a'.repeat(4000)}(1)`).length).toBeLessThan(250);
    expect(refusalOf(`item.${'a'.repeat(2000)}.${'b'.repeat(2000)} == 1`).length).toBeLessThan(250);
    expect(refusalOf(`item.a.matches("${'('.repeat(250)}")`).length).toBeLessThan(500);
  });
});
