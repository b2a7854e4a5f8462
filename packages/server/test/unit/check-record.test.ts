import { describe, expect, test } from 'vitest';
import { checkAttributes } from '../../src/domain/record/check-attributes.ts';
import { checkRecord } from '../../src/domain/record/check-record.ts';

const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 't' };

describe('checkRecord', () => {
  test('finds nothing wrong with what is sound', () => {
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
    [{ ...event, user_id: 7 }, 'FIELD_INVALID', 'user_id must be string'],
    [{ event_id: 'e' }, 'FIELD_MISSING', 'user_id is missing'],
    [
      { ...event, event_id: '' },
      'ID_INVALID',
      'event_id must be 1 to 256 characters without control characters',
    ],
    [
      { ...event, user_id: '' },
      'FIELD_INVALID',
      'user_id must be 1 to 256 characters without control characters',
    ],
    [{ ...event, event_type: 'x'.repeat(101) }, 'FIELD_INVALID', 'event_type must be 1 to 100 characters'],
    [{ ...event, ts: -1 }, 'FIELD_INVALID', 'ts must be >= 0'],
    [{ ...event, ts: 0.5 }, 'FIELD_INVALID', 'ts must be integer'],
    [{ ...event, event_value: Number.POSITIVE_INFINITY }, 'FIELD_INVALID', 'event_value must be number'],
    [{ ...event, event_value: Number.NaN }, 'FIELD_INVALID', 'event_value must be number'],
    [
      { ...event, weight: 1 },
      'FIELD_INVALID',
      '"weight" is not a field of the record: put it into attributes',
    ],
    [
      { ...event, attributes: { a: [1, Number.POSITIVE_INFINITY] } },
      'FIELD_INVALID',
      'attributes hold a number too large for a double',
    ],
    [
      { ...event, attributes: { a: { 'b\0': 1 } } },
      'FIELD_INVALID',
      'attributes hold a NUL or half of a surrogate pair, which cannot be stored',
    ],
  ])('says of %j: %s', (record, code, message) => {
    expect(checkRecord('event', record)).toEqual({ code, message });
  });

  test('names the attribute that is of no kind, as it was written', () => {
    for (const name of ['a', 'a/b', 'a~b', 'a.b', '"', '~1']) {
      expect(checkRecord('user', { user_id: 'u', attributes: { [name]: {} } })).toEqual({
        code: 'ATTRIBUTE_TYPE',
        message: `attribute ${JSON.stringify(name)} must be a string, a number, a boolean, or an array of these`,
      });
    }
  });

  test('quotes at most the beginning of a field that is not known', () => {
    const { message = '' } = checkRecord('user', { user_id: 'u', ['x'.repeat(10_000)]: 1 }) ?? {};
    expect(message.length).toBeLessThan(200);
  });

  test('takes 32 levels of attributes, and looks at no more of a million', () => {
    const nested = (levels: number) => {
      let value: unknown = 'bottom';
      for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value };
      return { ...event, attributes: { value } };
    };
    expect(checkRecord('event', nested(31))).toBeUndefined();
    expect(checkRecord('event', nested(32))).toEqual({
      code: 'FIELD_INVALID',
      message: 'attributes are nested more than 32 deep',
    });
    expect(checkRecord('event', nested(1_000_000))?.code).toBe('FIELD_INVALID');
  });
});

describe('checkAttributes', () => {
  test('looks at what the schema names, and at nothing else', () => {
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
    ['NUMERICAL', '1', 'a number'],
    ['NUMERICAL', true, 'a number'],
    ['NUMERICAL', [1], 'a number'],
    ['TEXT', 1, 'a string or an array of strings'],
    ['TEXT', ['a', 1], 'a string or an array of strings'],
    ['CATEGORICAL', {}, 'a string, a number, a boolean, or an array of these'],
  ] as const)('says that %s cannot hold %j, and what it can', (kind, value, takes) => {
    expect(checkAttributes({ a: kind }, { a: value })).toEqual({
      code: 'ATTRIBUTE_TYPE',
      message: `attribute "a" is ${kind} in the dataset's attribute_schema and takes ${takes}`,
    });
  });
});
