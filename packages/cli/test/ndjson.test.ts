import { expect, test } from 'vitest';
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
