import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { deployDirectly, expectSums, idsIn, openShop, parityOf } from '../stack/shop.ts';
import { api, caller, invalid, perFile, test } from '../stack/stack.ts';
import { fixedParameters, trainModel } from '../stack/training.ts';

const shop = perFile(() => openShop({ parameters: fixedParameters }), test);

describe('context items', () => {
  test('stand for the taste of a visitor without an ID, and are left out', async () => {
    const { user_id, results } = await shop.recommend({ context_items: ['i1', 'i3'], limit: 5 });
    expect(user_id).toBeNull();
    expect(idsIn({ results }).map(parityOf)).toEqual([1, 1, 1, 1, 1]);
    expect(await shop.ids({ context_items: ['i1', 'i3'], limit: 40 })).not.toEqual(
      expect.arrayContaining(['i1']),
    );
    const kept = await shop.ids({ context_items: ['i1', 'i3'], limit: 40, exclude_seen: false });
    expect(kept).toEqual(expect.arrayContaining(['i1', 'i3']));
  });

  test('count as events that the user just had, for this call only', async () => {
    await shop.act('just', 'i2');
    const before = await shop.recommend({ user_id: 'just', limit: 40, explain: true });
    const context = await shop.recommend({
      user_id: 'just',
      context_items: ['i4'],
      limit: 40,
      explain: true,
    });
    expect((await shop.recommend({ user_id: 'just', limit: 40, explain: true })).results).toEqual(
      before.results,
    );
    await shop.act('just', 'i4');
    const after = await shop.recommend({ user_id: 'just', limit: 40, explain: true });
    expect(context).toMatchObject({ user_id: 'just', results: after.results });
    expect(context.results[0]?.reasons?.map(({ id }) => id).toSorted()).toEqual(['i2', 'i4']);
    expectSums(context.results);
  });

  test('that no model knows are left out too, and change nothing else', async () => {
    await shop.upsert({ item_id: 'unknown', attributes: {} });
    const plain = await shop.ids({ user_id: 'u0', limit: 200 });
    const context = await shop.ids({ user_id: 'u0', limit: 200, context_items: ['unknown', 'nowhere'] });
    expect(context).toEqual(plain.filter((id) => id !== 'unknown'));
    await shop.remove('unknown');
  });

  test('or a user are required', async () => {
    for (const fields of [{}, { context_items: [] }, { user_id: null }]) {
      const { status, body } = await shop.ask(fields);
      expect({ status, code: body.code, paths: body.errors.map(({ path }) => path) }).toEqual({
        status: 400,
        code: 'INVALID_REQUEST',
        paths: ['user_id', 'context_items'],
      });
    }
  });
});

describe('exclusions', () => {
  test('leave out the named items and keep the order of the others', async () => {
    const all = await shop.ids({ user_id: 'u0', limit: 40 });
    const exclude_item_ids = [all[0] ?? '', all[3] ?? '', 'nowhere'];
    expect(await shop.ids({ user_id: 'u0', limit: 40, exclude_item_ids })).toEqual(
      all.filter((id) => !exclude_item_ids.includes(id)),
    );
  });

  test('by event type replace the target type', async () => {
    await shop.act('types', 'i6', 'buy');
    await shop.act('types', 'i8', 'view');
    await shop.act('types', 'i10', 'like');
    const seen = async (fields: object) => {
      const ids = await shop.ids({ user_id: 'types', limit: 200, ...fields });
      return ['i6', 'i8', 'i10'].filter((id) => !ids.includes(id));
    };
    expect(await seen({})).toEqual(['i6']);
    expect(await seen({ exclude_event_types: ['view'] })).toEqual(['i8']);
    expect(await seen({ exclude_event_types: ['buy', 'view', 'like'] })).toEqual(['i6', 'i8', 'i10']);
    expect(await seen({ exclude_event_types: ['view'], exclude_seen: false })).toEqual([]);
  });

  test('of the maximal number and length are accepted', async () => {
    const longest = (place: number) => '😀'.repeat(limits.developerIdLength - 4) + String(1000 + place);
    const ids = Array.from({ length: limits.excludedItems }, (_, place) => longest(place));
    expect(await shop.ids({ user_id: 'u0', limit: 5, exclude_item_ids: ids })).toHaveLength(5);
    const { status } = await shop.ask({ user_id: 'u0', exclude_item_ids: [...ids, 'one more'] });
    expect(status).toBe(400);
  });
});

describe('a cursor', () => {
  test('leads through the whole list, each item once, in order', async () => {
    const whole = await shop.ids({ user_id: 'u1', limit: 200 });
    for (const fields of [{ limit: 7 }, { limit: 7, filter_query: 'item.item_id != "i5"' }]) {
      const pages = await shop.pages({ user_id: 'u1', ...fields });
      const expected = 'filter_query' in fields ? whole.filter((id) => id !== 'i5') : whole;
      expect(pages.flat()).toEqual(expected);
    }
  });

  test('repeats nothing if the user has new events, or another model is deployed, between pages', async () => {
    await shop.act('pages', 'i2');
    const otherModel = await trainModel(caller, shop.project, {
      parameters: { ...fixedParameters, neighbors: 5, recency: 1 },
    });
    const pages = await shop.pages({ user_id: 'pages', limit: 6 }, async (page) => {
      if (page === 1) await shop.act('pages', 'i1', 'buy');
      if (page === 2) await deployDirectly(otherModel);
    });
    const ids = pages.flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(pages.length).toBeGreaterThan(3);
  });

  test('may have another limit, other attributes and explanations', async () => {
    const first = await shop.recommend({ user_id: 'u1', limit: 3 });
    const { results } = await shop.recommend({
      user_id: 'u1',
      limit: 4,
      attributes: ['parity'],
      explain: true,
      cursor: first.cursor,
    });
    const all = await shop.ids({ user_id: 'u1', limit: 7 });
    expect(results.map(({ item }) => item.item_id)).toEqual(all.slice(3));
  });

  test('of another request, project or account, or no cursor at all, is refused', async () => {
    const { cursor } = await shop.recommend({ user_id: 'u1', limit: 3 });
    const theirs = await openShop({ parameters: fixedParameters }, await api.newCaller());
    const answers = [
      await shop.ask({ user_id: 'u2', cursor }),
      await shop.ask({ user_id: 'u1', filter_query: 'true', cursor }),
      await shop.ask({ user_id: 'u1', exclude_item_ids: ['i1'], cursor }),
      await shop.ask({ user_id: 'u1', cursor: 'none' }),
      await theirs.ask({ user_id: 'u1', cursor }),
    ];
    for (const answer of answers) expect(answer).toMatchObject(invalid('cursor'));
  });
});
