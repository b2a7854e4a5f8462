import { describe, expect, test } from 'vitest';
import { sortOut } from '../../src/domain/record/sort-out.ts';

const user = (user_id: unknown, fields: object = {}) => ({ user_id, ...fields });
const ids = (entries: readonly { id?: string }[]) => entries.map(({ id }) => id);

describe('sortOut', () => {
  test('keeps the order of the request in both parts', () => {
    const { sound, failed } = sortOut('user', null, [
      user('c'),
      user('x', { y: 1 }),
      user('a'),
      user(''),
      user('b'),
    ]);
    expect(sound.map(({ index, id }) => [index, id])).toEqual([
      [0, 'c'],
      [2, 'a'],
      [4, 'b'],
    ]);
    expect(failed.map(({ index, id, code }) => [index, id, code])).toEqual([
      [1, 'x', 'FIELD_INVALID'],
      [3, '', 'ID_INVALID'],
    ]);
  });

  test('of records with one id looks at the last only, be it sound or not', () => {
    const first = sortOut('user', null, [user('a'), user('a', { y: 1 })]);
    expect([ids(first.sound), ids(first.failed)]).toEqual([[], ['a']]);
    const last = sortOut('user', null, [user('a', { y: 1 }), user('b'), user('a')]);
    expect([ids(last.sound), ids(last.failed)]).toEqual([['b', 'a'], []]);
  });

  test('does not take records without id for the same', () => {
    const { sound, failed } = sortOut('user', null, [{}, {}, null, user(7), user('undefined')]);
    expect(ids(sound)).toEqual(['undefined']);
    expect(failed.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(failed.every((failure) => failure.id === undefined && failure.code === 'ID_INVALID')).toBe(true);
  });

  test.each(['user', 'item', 'event'] as const)('measures a %s as JSON in UTF-8', (kind) => {
    const rest = kind === 'event' ? { user_id: 'u', item_id: 'i', ts: 1, event_type: 't' } : {};
    const of = (text: string) => ({ [`${kind}_id`]: 'x', ...rest, attributes: { text } });
    const bare = Buffer.byteLength(JSON.stringify(of('')));
    const euros = Math.floor((20_480 - bare) / 3);
    const at = of('€'.repeat(euros) + 'x'.repeat(20_480 - bare - 3 * euros));
    expect(sortOut(kind, null, [at]).failed).toEqual([]);
    const over = { ...at, attributes: { text: `${at.attributes.text}x` } };
    expect(sortOut(kind, null, [over]).failed).toMatchObject([{ code: 'RECORD_TOO_LARGE' }]);
    // Quotes and backslashes are two bytes in JSON.
    const escaped = of('"'.repeat(Math.ceil((20_481 - bare) / 2)));
    expect(sortOut(kind, null, [escaped]).failed).toMatchObject([{ code: 'RECORD_TOO_LARGE' }]);
    // 1e20 is four bytes as it may be sent, and twenty-one as JSON is written.
    const grown = { ...at, attributes: { many: Array<number>(1000).fill(1e20) } };
    expect(sortOut(kind, null, [grown]).failed).toMatchObject([{ code: 'RECORD_TOO_LARGE' }]);
  });

  test('says first what is wrong with a record, then that it is large, then that it does not fit the schema', () => {
    const huge = 'x'.repeat(30_000);
    const codes = (record: object) =>
      sortOut('item', { n: 'NUMERICAL' }, [record]).failed.map(({ code }) => code);
    expect(codes({ item_id: 'a', attributes: { n: huge }, other: 1 })).toEqual(['FIELD_INVALID']);
    expect(codes({ item_id: 'a', attributes: { n: huge } })).toEqual(['RECORD_TOO_LARGE']);
    expect(codes({ item_id: 'a', attributes: { n: 'text' } })).toEqual(['ATTRIBUTE_TYPE']);
  });

  test('holds events to no schema', () => {
    const event = {
      event_id: 'e',
      user_id: 'u',
      item_id: 'i',
      ts: 1,
      event_type: 't',
      attributes: { n: { deep: 1 } },
    };
    expect(sortOut('event', { n: 'NUMERICAL' }, [event]).failed).toEqual([]);
  });
});
