import { describe, expect } from 'vitest';
import { openShop } from '../stack/shop.ts';
import { caller, invalid, perFile, test } from '../stack/stack.ts';

/** Embeddings of items: vectors of even items point one way, those of odd items another. */
const length = 8;
const embeddingOf = (parity: number, turn: number) =>
  Array.from({ length }, (_, place) => (place % 2 === parity ? 1 : 0) + 0.05 * ((turn * 7 + place * 3) % 5));

const itemSchema = { embedding: `VECTOR(${length})` } as const;
const attributesOf = (item: number) => ({ embedding: embeddingOf(item % 2, item) });
const shop = perFile(() => openShop({ items: 80, itemSchema, attributesOf }), test);

const idsFor = (user_id: string) => shop.ids({ user_id, limit: 200 });

describe('a new item with a vector', () => {
  test('is recommended to the users who take items with similar vectors', async () => {
    await shop.upsert(
      { item_id: 'a-odd', attributes: { embedding: embeddingOf(1, 1001) } },
      { item_id: 'z-even', attributes: { embedding: embeddingOf(0, 1000).map(String) } },
    );
    // A serving process loads the items in the background.
    await expect
      .poll(
        async () => {
          const [even, odd] = [await idsFor('u0'), await idsFor('u1')];
          const isFirst = (ids: string[], one: string, other: string) =>
            ids.indexOf(one) < ids.indexOf(other);
          return [isFirst(even, 'z-even', 'a-odd'), isFirst(odd, 'a-odd', 'z-even')];
        },
        { timeout: 30_000 },
      )
      .toEqual([true, true]);
  });

  test('keeps the numbers that were sent', async () => {
    const embedding = embeddingOf(0, 5);
    await shop.upsert({ item_id: 'kept', attributes: { embedding } });
    const { item_dataset_id } = shop.project;
    const { items } = await caller.call('listDatasetItems', { item_dataset_id, id_prefix: 'kept' });
    expect(items).toEqual([{ item_id: 'kept', attributes: { embedding } }]);
  });
});

describe('a vector is refused', () => {
  test.each([
    ['too short', [1, 2, 3], ['8', '3']],
    ['too long', Array.from({ length: 9 }, () => 1), ['8', '9']],
    ['not of numbers', ['a', ...Array.from({ length: 7 }, () => 1)], ['8']],
    ['not a list', 7, ['8']],
  ])('if it is %s, with the attribute and both lengths', async (_, embedding, facts) => {
    const { succeed_ids, failures } = await shop.upsert(
      { item_id: 'wrong', attributes: { embedding } },
      { item_id: 'right', attributes: { embedding: embeddingOf(0, 1) } },
    );
    expect(succeed_ids).toEqual(['right']);
    expect(failures).toMatchObject([{ id: 'wrong', code: 'ATTRIBUTE_TYPE' }]);
    for (const fact of ['"embedding"', ...facts]) expect(failures[0]?.message).toContain(fact);
  });

  test.each(['VECTOR', 'VECTOR(0)', 'VECTOR(1025)', 'VECTOR(8', 'VECTOR(08)', 'vector(8)'])(
    'in a schema as %s',
    async (kind) => {
      const attribute_schema = { embedding: kind };
      const { body } = await caller.ask('createItemDataset', { name: 'x', num_shards: 1, attribute_schema });
      expect(body).toMatchObject({
        code: 'INVALID_REQUEST',
        errors: [
          { path: 'attribute_schema.embedding', message: expect.stringContaining('VECTOR(384)') as string },
        ],
      });
    },
  );

  test('in a schema with more than four, and for users', async () => {
    const five = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'VECTOR(2)' as const]));
    const created = { name: 'x', num_shards: 1 };
    const { item_dataset_id } = shop.project;
    for (const answer of [
      await caller.ask('createItemDataset', { ...created, attribute_schema: five }),
      await caller.ask('updateItemDataset', { item_dataset_id, attribute_schema: five }),
    ])
      expect(answer).toMatchObject(invalid('attribute_schema'));
    const users = await caller.ask('createUserDataset', { ...created, attribute_schema: { a: 'VECTOR(2)' } });
    expect(users).toMatchObject(invalid('attribute_schema.a'));
  });

  test.each([
    [{ filter_query: 'size(item.embedding) == 8' }, 'filter_query'],
    [{ boosts: [{ if: 'item.embedding[0] > 0.5', factor: 2 }] }, 'boosts.0.if'],
    [{ promote: { if: 'size(item.embedding) == 8', share: 0.5 } }, 'promote.if'],
    [{ diversity: { attribute: 'embedding', max_per_value: 1 } }, 'diversity.attribute'],
    [{ attributes: ['embedding'] }, 'attributes'],
  ])('in a call with %j, with the field', async (fields, path) => {
    expect(await shop.ask({ user_id: 'u0', ...fields })).toMatchObject(invalid(path));
  });
});
