import fc from 'fast-check';

/** Texts that are known to break parsers, databases and programs. */
const nastyTexts = [
  ['', ' ', '\0', 'a\0b', '\u0001', '\u001f', '\u007f', '\u0085', '\u2028', '\ufeff', '\ufffd', '\uffff'],
  // Right-to-left, combining, four-byte and joined characters; unpaired surrogates.
  [
    '\u202eabc',
    'שלום',
    'e\u0301',
    'a\u0300\u0301\u0302',
    '😀',
    '👨‍👩‍👧',
    '𝒳',
    '\ud800',
    '\udc00x',
    'x\udbff',
  ],
  ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'null', 'undefined', 'NaN', '-0'],
  ['%00', '\\', '"', "'; DROP TABLE events; --", '$1', '${x}', '{}', '[]', '\\u0000', '../..', '\r\nX: y'],
  ['a'.repeat(100), 'a'.repeat(256), 'a'.repeat(257), '😀'.repeat(100), '😀'.repeat(256), 'é'.repeat(5000)],
].flat();

const halfSurrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));

/** Any text, including text that cannot be stored. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(fc.oneof(halfSurrogate, fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 4 })
    .map((parts) => parts.join('')),
);

const nastyNumbers = [
  [
    '0',
    '-0',
    '1',
    '-1',
    '0.1',
    '1.0',
    '1E+2',
    '1e15',
    '1e308',
    '-1e308',
    '1e999',
    '-1e999',
    '1e-999',
    '5e-324',
  ],
  ['9007199254740993', '-9007199254740993', '8640000000000000', '8640000000000001', '2147483648', '1e19'],
  [
    `1${'0'.repeat(299)}`,
    '9'.repeat(300),
    `-${'7'.repeat(300)}`,
    `0.${'0'.repeat(299)}1`,
    `1${'0'.repeat(400)}`,
  ],
].flat();

/** A JSON number, including numbers that do not fit into a double. */
export const numberJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyNumbers),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

/** A string as JSON: plain, or with every character escaped. */
export function textJson(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, i) =>
    text.charCodeAt(i).toString(16).padStart(4, '0'),
  );
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const stringJson = fc.tuple(anyText, fc.boolean()).map(([text, escaped]) => textJson(text, escaped));

/** An object as JSON, in which a key may occur twice. */
export function objectJson(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** A value nested in the given number of arrays or objects. */
export function nestedJson(depth: number, open: '[' | '{', inside = '1'): string {
  return open === '['
    ? `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}${inside}${'}'.repeat(depth)}`;
}

/** Any JSON, as text. */
export const anyJson: fc.Arbitrary<string> = fc.letrec<{ value: string; leaf: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 4, arbitrary: tie('leaf') },
      {
        weight: 1,
        arbitrary: fc.array(tie('value'), { maxLength: 5 }).map((values) => `[${values.join(',')}]`),
      },
      { weight: 2, arbitrary: tie('object') },
    ),
    leaf: fc.oneof(fc.constantFrom('null', 'true', 'false', '""', '[]', '{}'), numberJson, stringJson),
    object: fc.array(fc.tuple(anyText, tie('value')), { maxLength: 5 }).map(objectJson),
  }),
).value;
