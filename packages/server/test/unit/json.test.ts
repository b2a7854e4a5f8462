import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/kernel/lib/json.ts';

const keysOf = (text: string) => Object.keys(parseJson(text) as object);

describe('a key written with an escape', () => {
  test('is parsed correctly, whatever was parsed before', () => {
    expect(keysOf('{"a":1,"\\\\":1}')).toEqual(['a', '\\']);
    expect(keysOf('{"a":1,"\\n":1}')).toEqual(['a', '\n']);
    expect(keysOf('{"a":1,"\\"":1}')).toEqual(['a', '"']);
    expect(keysOf('{"a":1,"\\u00e9":1}')).toEqual(['a', 'é']);
    expect(keysOf('{"a":1,"\\ud800" :1}')).toEqual(['a', '\ud800']);
    expect(keysOf('{"size \\\\\\"L":1}')).toEqual(['size \\"L']);
    expect(keysOf('{"size \\"L\\"":1}')).toEqual(['size "L"']);
  });

  test('equals the same key without an escape, and the last one counts', () => {
    expect(parseJson('{"é":1,"\\u00e9":2,"é":3}')).toEqual({ é: 3 });
    expect(parseJson('{"\\n":1,"\\u000a":2}')).toEqual({ '\n': 2 });
  });

  test('does not set the prototype', () => {
    const parsed = parseJson('{"\\u005f_proto__":{"x\\n":1}}') as object;
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.entries(parsed)).toEqual([['__proto__', { 'x\n': 1 }]]);
  });

  test('is restored at any depth', () => {
    const depth = 100_000;
    let value = parseJson(`${'{"a":['.repeat(depth)}{"\\n":1}${']}'.repeat(depth)}`);
    for (let level = 0; level < depth; level++) value = (value as { a: unknown[] }).a[0];
    expect(value).toEqual({ '\n': 1 });
  });
});

test('every JSON value survives a round trip', () => {
  const key = fc.string({
    unit: fc.constantFrom('"', '\\', '\n', 'u', '0', 'é', 'a', ':', ' ', '\ud800', '/'),
  });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      key,
      fc.constantFrom(0, null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, ' ', '\t'), fc.boolean(), (sent, space, ascii) => {
      const text = JSON.stringify(sent, undefined, space);
      const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      expect(parseJson(ascii ? text.replaceAll(/[^\x00-\x7f]/g, escape) : text)).toStrictEqual(sent);
    }),
    { numRuns: 5000 },
  );
});

test('invalid JSON throws the same error as JSON.parse', () => {
  const bad = [
    '{"\\x":1}',
    '{"a',
    '{"a\\',
    '"\\',
    '{"\\n":1',
    '{"\\n":1} x',
    '\\',
    '{"\\u00":1}',
    '{"k"\\u003a":"}',
  ];
  const messageOf = (parse: (text: string) => unknown, text: string) => {
    try {
      return `parsed ${JSON.stringify(parse(text))}`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const text of bad) expect(messageOf(parseJson, text)).toBe(messageOf(JSON.parse, text));
});
