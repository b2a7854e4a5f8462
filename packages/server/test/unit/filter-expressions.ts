import fc from 'fast-check';
import { anyCodePoint } from './any-code-point.ts';

/** Mostly leaves, so that generation ends: about ten parts per expression. */
const leaf = { depthSize: 'small', maxDepth: 4, withCrossShrink: true } as const;

const numbers = ['0', '1', '20', '3.5', '-1', '1e3', '0x1f', '9007199254740991', '2.0'];
const texts = ['""', '"a"', "'Comedy'", '"The "', '"😀"', String.raw`"\n\u00e9"`, 'r"\\d"'];
const patterns = ['"a"', '"^The .*"', '"(a+)+$"', String.raw`"[\\pL\\s]{2,9}"`, '"(a?){9}a{9}"', '"("'];

/** CEL expressions that follow the grammar and mostly the types: most compile, the others are refused. */
export const expressions = fc.letrec<Record<'test' | 'number' | 'text' | 'list' | 'any', string>>((tie) => {
  const join = (strings: TemplateStringsArray, ...parts: ('test' | 'number' | 'text' | 'list' | 'any')[]) =>
    fc
      .tuple(...parts.map((part) => tie(part)))
      .map((made) => strings.reduce((text, string, place) => `${text}${made[place - 1] ?? ''}${string}`));
  const infix = (left: 'number' | 'text' | 'any' | 'test', operators: readonly string[]) =>
    fc
      .tuple(tie(left), fc.constantFrom(...operators), tie(left))
      .map(([one, operator, other]) => `(${one} ${operator} ${other})`);
  return {
    number: fc.oneof(
      leaf,
      fc.constantFrom(...numbers, 'item.price', 'item.stock', 'item.missing', 'x'),
      infix('number', ['+', '-', '*', '/', '%']),
      join`-${'number'}`,
      join`size(${'list'})`,
      join`${'text'}.size()`,
      join`${'list'}[${'number'}]`,
      join`(${'test'} ? ${'number'} : ${'any'})`,
    ),
    text: fc.oneof(
      leaf,
      fc.constantFrom(...texts, 'item.title', 'item["release date"]', 'item.item_id', 'x'),
      infix('text', ['+']),
      join`item[${'text'}]`,
    ),
    list: fc.oneof(
      leaf,
      fc.constantFrom(
        'item.genres',
        'item.ratings',
        '[]',
        '["Comedy", "Drama"]',
        '[1, 2, 3.5]',
        'item.missing',
      ),
      join`[${'any'}, ${'any'}]`,
      join`(${'list'} + ${'list'})`,
      join`${'list'}.filter(x, ${'test'})`,
      join`${'list'}.map(x, ${'any'})`,
      join`${'list'}.map(y, ${'test'}, ${'any'})`,
    ),
    test: fc.oneof(
      leaf,
      fc.constantFrom('true', 'false', 'item.restored', 'has(item.price)', 'has(item.missing)', 'x'),
      infix('test', ['&&', '||', '==']),
      infix('number', ['<', '<=', '>', '>=', '==', '!=']),
      infix('text', ['<', '>=', '==', '!=']),
      infix('any', ['==', '!=']),
      join`!${'test'}`,
      join`(${'any'} in ${'list'})`,
      join`(${'text'} in item)`,
      join`${'text'}.contains(${'text'})`,
      join`${'text'}.startsWith(${'text'})`,
      join`${'list'}.exists(x, ${'test'})`,
      join`${'list'}.all(x, ${'test'})`,
      join`${'list'}.exists_one(y, ${'test'})`,
      join`(${'test'} ? ${'test'} : ${'test'})`,
      fc
        .tuple(tie('text'), fc.constantFrom(...patterns))
        .map(([text, pattern]) => `${text}.matches(${pattern})`),
    ),
    any: fc.oneof(
      leaf,
      fc.constantFrom('item.price', 'x', 'item.genres'),
      tie('number'),
      tie('text'),
      tie('list'),
      tie('test'),
    ),
  };
});

const pieces = [
  'item',
  '.',
  'price',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '\\',
  '&&',
  '||',
  '!',
  '-',
  '?',
  ':',
  ',',
  ' ',
  '\n',
  'in',
  'has',
  'exists',
  'matches',
  'x',
  '1',
  '1.5',
  'null',
  '==',
  '<',
  '//',
  '__proto__',
  'constructor',
  '😀',
  '\ud800',
  '\u0000',
  '\u2028',
  'b"',
  'r"',
  '"""',
  '0x',
  '1u',
  '.?',
  '$',
  '`',
];

/** Tokens and arbitrary text in any order. */
export const garbage = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);

/** An expression with a part removed, doubled or replaced. */
export const mutated = fc
  .tuple(expressions.test, fc.nat(), fc.nat(20), fc.constantFrom('', ...pieces))
  .map(([text, from, length, piece]) => {
    const start = from % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + (piece === '' ? length : length % 3));
  });

const nests = [
  ['(', 'true', ')'],
  ['!', 'true', ''],
  ['-', '1', ''],
  ['[', '', ']'],
  ['{1:', '1', '}'],
  ['true ? ', 'true', ' : false'],
  ['item.', 'price', ''],
  ['item[', '"a"', ']'],
  ['', 'item.genres', '.map(x, [x, x])'],
  ['', '["a"]', '.map(x, x + x)'],
  ['', '[[1]]', '.map(x, x + x)'],
  ['', 'item.long', '.map(x, item.long)'],
  ['item.long.exists(x, ', 'x == -1', ')'],
  ['item.long.all(x, item.long.exists(y, ', 'x == y', '))'],
  ['', 'item.wide', ' + item.wide'],
  ['item.wide < item.wide + "" || ', 'false', ''],
  ['item.wide.contains(item.needle) || ', 'false', ''],
  ['item.wide.matches("(a?){20}a{20}$") || ', 'false', ''],
  ['1 + ', '1', ''],
  ['true && ', 'true', ''],
  ['has(', 'item.a', ')'],
] as const;

/** One construct nested up to the longest filter, in a comparison so that it is evaluated. */
export const nested = fc
  .tuple(
    fc.constantFrom(...nests),
    fc.oneof(fc.nat(8), fc.nat(70), fc.nat(1500)),
    fc.constantFrom('', ' == [1]', ' == 1'),
  )
  .map(([[open, inside, close], count, end]) => open.repeat(count) + inside + close.repeat(count) + end);

/** Items that make nested expressions expensive. */
export const heavyItem: Readonly<Record<string, unknown>> = {
  price: 12,
  genres: ['Comedy', 'Drama'],
  long: Array.from({ length: 10_000 }, (_, place) => place),
  wide: 'a'.repeat(20_000),
  needle: `${'a'.repeat(150)}b${'a'.repeat(150)}`,
};
