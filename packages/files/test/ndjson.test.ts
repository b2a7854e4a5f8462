import { describe, expect, test } from 'vitest';
import { createMapping, type MappingOptions } from '../src/mapping.ts';
import { createRecordMapper } from '../src/record-mapper.ts';
import { NdjsonReader } from '../src/sources/ndjson.ts';
import type { Cells } from '../src/sources/source.ts';

const nothing: MappingOptions = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

/** The records of a source. As in an import, the mapping is based on the first piece. */
async function records(kind: 'users' | 'items' | 'events', ...texts: string[]): Promise<unknown[]> {
  const reader = new NdjsonReader();
  const expected: unknown[] = [];
  let toRecord: ReturnType<typeof createRecordMapper> | undefined;
  for await (const { rows } of reader.chunks(pieces(...texts))) {
    toRecord ??= createRecordMapper(
      createMapping(kind, reader.columns, rows as Cells[], nothing),
      reader.columns,
    );
    expected.push(...(rows as Cells[]).map(toRecord));
  }
  return expected;
}

test('numeric IDs keep all their digits', async () => {
  const ids = ['1234567890123456781', '1234567890123456782', '-1234567890123456783', '42'];
  const expected = await records('users', ids.map((id) => `{"user_id":${id}}\n`).join(''));
  expect(expected.map((record) => (record as { user_id: string }).user_id)).toEqual(ids);
});

test('only integers beyond double precision become text', async () => {
  const attributes =
    '"seen":9007199254740993,"n":9007199254740991,"x":0.12345678901234567,"big":1e300,"t":"1234567890123456781"';
  expect(await records('items', `{"item_id":"a","attributes":{${attributes}}}\n`)).toEqual([
    {
      item_id: 'a',
      attributes: {
        seen: '9007199254740993',
        n: 9007199254740991,
        x: 0.12345678901234567,
        big: 1e300,
        t: '1234567890123456781',
      },
    },
  ]);
  const brands = '{"item_id":"a","brand":1234567890123456781}\n{"item_id":"b","brand":1234567890123456782}\n';
  expect(await records('items', brands)).toMatchObject([
    { attributes: { brand: '1234567890123456781' } },
    { attributes: { brand: '1234567890123456782' } },
  ]);
});

describe('columns that appear after the mapping', () => {
  const event = (n: number, more = '') =>
    `{"user_id":"u${n}","item_id":"i","ts":1700000000000,"event_type":"buy"${more}}\n`;
  test('become the field with exactly their name, or else an attribute', async () => {
    const late = ',"event_value":5,"event_id":"own","attributes":{"device":"tv"},"rating":3';
    const [first, second, third] = await records('events', event(1), event(2, late) + event(3));
    const expected = (n: number) => ({
      event_id: `u${n}|i|1700000000000|buy`,
      user_id: `u${n}`,
      item_id: 'i',
      ts: 1_700_000_000_000,
      event_type: 'buy',
    });
    expect(first).toEqual(expected(1));
    expect(second).toEqual({
      ...expected(2),
      event_id: 'own',
      event_value: 5,
      attributes: { device: 'tv', rating: 3 },
    });
    expect(third).toEqual(expected(3));
  });
  test('become attributes if the field is read from another column', async () => {
    const rated = ',"rating":3';
    expect((await records('events', event(1, rated), event(2, `${rated},"event_value":5`)))[1]).toMatchObject(
      { event_value: 3, attributes: { event_value: 5 } },
    );
  });
  test('also provide the attributes of users', async () => {
    expect(
      await records('users', '{"user_id":"a"}\n', '{"user_id":"b","attributes":{"age":5}}\n'),
    ).toMatchObject([{ attributes: {} }, { user_id: 'b', attributes: { age: 5 } }]);
  });
});
