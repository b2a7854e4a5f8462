import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { checkAttributes, withNumbers } from '../../src/datasets/records/check-attributes.ts';
import { checkRecord } from '../../src/datasets/records/check-record.ts';

const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 't' };

test('a record may have 4,096 names, which no event of 20 kb exceeds', () => {
  const user = (names: number) => ({
    user_id: 'u',
    attributes: Object.fromEntries(Array.from({ length: names }, (_, n) => [`n${n}`, 1])),
  });
  expect(checkRecord('user', user(limits.recordNames))).toBeUndefined();
  expect(checkRecord('user', user(limits.recordNames + 1))).toMatchObject({ code: 'FIELD_INVALID' });
});

describe('checkRecord', () => {
  test('accepts valid records', () => {
    expect(checkRecord('event', event)).toBeUndefined();
    expect(
      checkRecord('event', { ...event, event_value: 0, attributes: { any: [{ thing: null }] } }),
    ).toBeUndefined();
    expect(checkRecord('user', { user_id: 'u' })).toBeUndefined();
    expect(
      checkRecord('item', { item_id: 'i', attributes: { a: 1, b: 'x', c: true, d: null, e: ['x', 1] } }),
    ).toBeUndefined();
  });

  test.each([
    [{ ...event, user_id: 7 }, 'FIELD_INVALID', 'user_id'],
    [{ event_id: 'e' }, 'FIELD_MISSING', 'user_id'],
    [{ ...event, event_id: '' }, 'ID_INVALID', 'event_id'],
    [{ ...event, user_id: '' }, 'FIELD_INVALID', 'user_id'],
    [{ ...event, event_type: 'x'.repeat(101) }, 'FIELD_INVALID', 'event_type'],
    [{ ...event, ts: -1 }, 'FIELD_INVALID', 'ts'],
    [{ ...event, ts: 0.5 }, 'FIELD_INVALID', 'ts'],
    [{ ...event, event_value: Number.POSITIVE_INFINITY }, 'FIELD_INVALID', 'event_value'],
    [{ ...event, event_value: Number.NaN }, 'FIELD_INVALID', 'event_value'],
    [{ ...event, weight: 1 }, 'FIELD_INVALID', '"weight"'],
    [{ ...event, attributes: { a: [1, Number.POSITIVE_INFINITY] } }, 'FIELD_INVALID', 'attributes'],
    [{ ...event, attributes: { a: { 'b\0': 1 } } }, 'FIELD_INVALID', 'attributes'],
  ])('rejects %j with %s and names the field', (record, code, field) => {
    const failure = checkRecord('event', record);
    expect(failure?.code).toBe(code);
    expect(failure?.message.startsWith(`${field} `)).toBe(true);
  });

  test('quotes the name of an attribute whose value has no valid kind', () => {
    for (const name of ['a', 'a/b', 'a~b', 'a.b', '"', '~1']) {
      expect(checkRecord('user', { user_id: 'u', attributes: { [name]: {} } })).toEqual({
        code: 'ATTRIBUTE_TYPE',
        message: expect.stringContaining(`attribute ${JSON.stringify(name)} `) as string,
      });
    }
  });

  test('quotes only the beginning of a long unknown field', () => {
    const { message = '' } = checkRecord('user', { user_id: 'u', ['x'.repeat(10_000)]: 1 }) ?? {};
    expect(message.length).toBeLessThan(200);
  });

  test('accepts 32 levels of attributes and refuses a million without visiting them all', () => {
    const nested = (levels: number) => {
      let value: unknown = 'bottom';
      for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value };
      return { ...event, attributes: { value } };
    };
    expect(checkRecord('event', nested(31))).toBeUndefined();
    expect(checkRecord('event', nested(32))).toEqual({
      code: 'FIELD_INVALID',
      message: expect.stringMatching(/^attributes .*\b32\b/) as string,
    });
    expect(checkRecord('event', nested(1_000_000))?.code).toBe('FIELD_INVALID');
  });
});

describe('checkAttributes', () => {
  test('checks only the attributes in the schema', () => {
    const schema = { price: 'NUMERICAL' } as const;
    expect(checkAttributes(schema, { price: 1, other: 'x' })).toBeUndefined();
    expect(checkAttributes(schema, {})).toBeUndefined();
    expect(checkAttributes(schema, { price: null })).toBeUndefined();
    expect(checkAttributes(null, { price: 'x' })).toBeUndefined();
    expect(
      checkAttributes(
        schema,
        JSON.parse('{"toString":"x","constructor":"x","__proto__":"x"}') as Record<string, unknown>,
      ),
    ).toBeUndefined();
  });

  test.each([
    ['12.5', 12.5],
    ['-3', -3],
    ['007', 7],
    ['1e3', 1000],
  ])('converts %j to a number if the attribute is NUMERICAL, and only then', (text, number) => {
    const schema = { a: 'NUMERICAL', b: 'CATEGORICAL' } as const;
    const attributes = { a: text, b: text, c: text };
    expect(checkAttributes(schema, attributes)).toBeUndefined();
    expect(withNumbers(schema, attributes)).toEqual({ a: number, b: text, c: text });
    expect(withNumbers(null, attributes)).toBe(attributes);
  });

  test('converts the texts of a vector to numbers, and leaves numbers as they are', () => {
    const schema = { v: 'VECTOR(2)' } as const;
    const texts = { v: ['0.5', '-1e-3'], other: ['0.5'] };
    expect(checkAttributes(schema, texts)).toBeUndefined();
    expect(withNumbers(schema, texts)).toEqual({ v: [0.5, -0.001], other: ['0.5'] });
    const numbers = { v: [0.5, -0.001] };
    expect(withNumbers(schema, numbers)).toBe(numbers);
  });

  test.each([
    ['NUMERICAL', '', 'a number'],
    ['NUMERICAL', ' ', 'a number'],
    ['NUMERICAL', ' 1', 'a number'],
    ['NUMERICAL', '0x10', 'a number'],
    ['NUMERICAL', 'Infinity', 'a number'],
    ['NUMERICAL', 'NaN', 'a number'],
    ['NUMERICAL', '1e999', 'a number'],
    ['NUMERICAL', '1,5', 'a number'],
    ['NUMERICAL', true, 'a number'],
    ['NUMERICAL', [1], 'a number'],
    ['TEXT', 1, 'a string or an array of strings'],
    ['TEXT', ['a', 1], 'a string or an array of strings'],
    ['CATEGORICAL', {}, 'a string, a number, a boolean, or an array of these'],
    ['VECTOR(3)', [1, 2], 'an array of 3 numbers; it has 2'],
    ['VECTOR(3)', [1, 2, 3, 4], 'an array of 3 numbers; it has 4'],
    ['VECTOR(3)', [1, 2, 'x'], 'an array of 3 numbers; not all'],
    ['VECTOR(3)', 'x', 'an array of 3 numbers; it is not an array'],
  ] as const)(
    'refuses for %s the value %j, with the attribute, its kind and the expected type',
    (kind, value, expected) => {
      const { code, message = '' } = checkAttributes({ a: kind }, { a: value }) ?? {};
      expect(code).toBe('ATTRIBUTE_TYPE');
      for (const fact of ['"a"', kind, expected]) expect(message).toContain(fact);
    },
  );
});
