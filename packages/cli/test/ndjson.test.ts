import { describe, expect, test } from 'vitest';
import { recordMaker } from '../src/import/make-records.ts';
import { type MappingWishes, makeMapping } from '../src/import/mapping.ts';
import { NdjsonReader } from '../src/import/sources/ndjson.ts';
import type { Cells } from '../src/import/sources/source.ts';

const nothing: MappingWishes = { map: new Map(), as: new Map(), skip: [], eventType: undefined };

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

/** The records of a source whose mapping is made from its first piece, as the import does. */
async function records(kind: 'users' | 'items' | 'events', ...texts: string[]): Promise<unknown[]> {
  const reader = new NdjsonReader();
  const made: unknown[] = [];
  let make: ReturnType<typeof recordMaker> | undefined;
  for await (const { rows } of reader.chunks(pieces(...texts))) {
    make ??= recordMaker(makeMapping(kind, reader.columns, rows as Cells[], nothing), reader.columns);
    made.push(...(rows as Cells[]).map(make));
  }
  return made;
}

test('ids that are numbers keep all their digits', async () => {
  const ids = ['1234567890123456781', '1234567890123456782', '-1234567890123456783', '42'];
  const made = await records('users', ids.map((id) => `{"user_id":${id}}\n`).join(''));
  expect(made.map((record) => (record as { user_id: string }).user_id)).toEqual(ids);
});

test('only whole numbers that would lose digits become text', async () => {
  const attributes =
    '"seen":9007199254740993,"n":9007199254740991,"x":0.12345678901234567,"big":1e300,"t":"1234567890123456781"';
  expect(await records('items', `{"item_id":"a","attributes":{${attributes}}}\n`)).toEqual([
    {
      item_id: 'a',
      attributes: {
        ...{ seen: '9007199254740993', n: 9007199254740991, x: 0.12345678901234567, big: 1e300 },
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

describe('names that come up after the mapping was made', () => {
  const event = (n: number, more = '') =>
    `{"user_id":"u${n}","item_id":"i","ts":1700000000000,"event_type":"buy"${more}}\n`;
  test('are the fields that they are called by, and attributes otherwise', async () => {
    const late = ',"event_value":5,"event_id":"own","attributes":{"device":"tv"},"rating":3';
    const [first, second, third] = await records('events', event(1), event(2, late) + event(3));
    const made = (n: number) => ({
      ...{ event_id: `u${n}|i|1700000000000|buy`, user_id: `u${n}`, item_id: 'i', ts: 1_700_000_000_000 },
      event_type: 'buy',
    });
    expect(first).toEqual(made(1));
    expect(second).toEqual({
      ...made(2),
      ...{ event_id: 'own', event_value: 5, attributes: { device: 'tv', rating: 3 } },
    });
    expect(third).toEqual(made(3));
  });
  test('are attributes where the field is read from another column', async () => {
    const rated = ',"rating":3';
    expect((await records('events', event(1, rated), event(2, `${rated},"event_value":5`)))[1]).toMatchObject(
      { event_value: 3, attributes: { event_value: 5 } },
    );
  });
  test('are the attributes of users and items, too', async () => {
    expect(
      await records('users', '{"user_id":"a"}\n', '{"user_id":"b","attributes":{"age":5}}\n'),
    ).toMatchObject([{ attributes: {} }, { user_id: 'b', attributes: { age: 5 } }]);
  });
});
