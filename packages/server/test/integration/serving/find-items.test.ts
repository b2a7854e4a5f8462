import { describe, expect } from 'vitest';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import { findMatches } from '../../../src/item-search/find-matches.ts';
import { compileText } from '../../../src/item-search/text-filter.ts';
import { CallBudget } from '../../../src/serving/call-budget.ts';
import { CallClock } from '../../../src/serving/call-clock.ts';
import { ItemMirrors } from '../../../src/serving/catalogue/item-mirrors.ts';
import { createLiveReads } from '../../../src/serving/state/live-reads.ts';
import { Projects } from '../../../src/serving/state/projects.ts';
import { api, caller, invalid, perFile, test } from '../stack/stack.ts';
import { makeProject } from '../stack/training.ts';

const plentyMs = 30_000;

const books = [
  { item_id: 'b1', attributes: { title: 'The Glass Horizon', price: 10, tags: ['New', 'Sea'] } },
  { item_id: 'b2', attributes: { title: 'Horizon of Glass', price: 20 } },
  { item_id: 'b3', attributes: { title: 'horizon', price: 30 } },
  { item_id: 'B-HORIZON', attributes: { title: null, price: 40 } },
  { item_id: 'b5', attributes: { price: 50, title: ['a list of', 'Glass'] } },
];

const project = perFile(() => makeProject(caller, { items: 2500 }), test);

test.beforeAll(async () => {
  await caller.call('upsertDatasetItems', { item_dataset_id: project.item_dataset_id, items: books });
});

const find = (fields: object) => caller.call('findItems', { project_id: project.project_id, ...fields });
const idsOf = ({ items }: { readonly items: readonly { item_id: string }[] }) =>
  items.map(({ item_id }) => item_id);

describe('items are found', () => {
  test('by ID, in the order asked, each once, with the attributes asked for', async () => {
    const item_ids = ['b3', 'no such item', 'b1', 'b3'];
    expect(await find({ item_ids, attributes: ['title', 'absent'] })).toEqual({
      project_id: project.project_id,
      items: [
        { item_id: 'b3', title: 'horizon', absent: null },
        { item_id: 'b1', title: 'The Glass Horizon', absent: null },
      ],
      match_count: 2,
      is_complete: true,
    });
    const cheap = await find({ item_ids, filter_query: 'item.price < 20', limit: 5 });
    expect({ ids: idsOf(cheap), count: cheap.match_count }).toEqual({ ids: ['b1'], count: 1 });
  });

  test('by words in the ID or in attributes, whatever their case; those that begin with the text first', async () => {
    const words = { text: ' HORIZON ', text_attributes: ['title'] };
    expect(idsOf(await find(words))).toEqual(['b2', 'b3', 'B-HORIZON', 'b1']);
    expect(idsOf(await find({ ...words, text: 'glass hor' }))).toEqual(['b1', 'b2']);
    expect(idsOf(await find({ ...words, text: 'glass' }))).toEqual(['b5', 'b1', 'b2']);
    expect(idsOf(await find({ text: 'horizon' }))).toEqual(['B-HORIZON']);
    const both = await find({ ...words, filter_query: 'item.price >= 20 && item.price < 40', limit: 1 });
    expect({ ids: idsOf(both), count: both.match_count }).toEqual({ ids: ['b2'], count: 2 });
  });

  test('and counted without returning any; without a condition, all of them', async () => {
    const all = await find({ limit: 0 });
    expect(all).toMatchObject({ items: [], match_count: 2500 + books.length, is_complete: true });
    const even = await find({ limit: 0, filter_query: 'item.parity == "0"' });
    expect(even).toMatchObject({ match_count: 1250, is_complete: true });
    expect(idsOf(await find({}))).toHaveLength(20);
  });

  test('as they are when the call is made', async () => {
    const items = [{ item_id: 'fresh', attributes: { title: 'Just written' } }];
    const { item_dataset_id } = project;
    for (const text of ['just', 'written']) {
      await caller.call('upsertDatasetItems', { item_dataset_id, items });
      expect((await find({ text, text_attributes: ['title'] })).match_count).toBe(1);
      await caller.call('deleteDatasetItems', { item_dataset_id, ids: ['fresh'] });
      expect((await find({ text, text_attributes: ['title'] })).match_count).toBe(0);
    }
  });
});

test('a filter that is wrong and a project that does not exist say so', async () => {
  const { project_id } = project;
  const wrong = await caller.ask('findItems', { project_id, filter_query: 'item.price <' });
  expect(wrong).toMatchObject(invalid('filter_query'));
  const other = await api.newCaller();
  expect((await other.ask('findItems', { project_id })).status).toBe(404);
});

describe('a search', () => {
  const searchIn = async (mirrorBytes: number, leftMs = plentyMs) => {
    const served = await new Projects(api.db).read(caller.credentials.accountId, project.project_id);
    const mirrors = new ItemMirrors(api.db, mirrorBytes, () => undefined);
    const clock = new CallClock(leftMs);
    const text = compileText('1', ['title']);
    return {
      mirrors,
      served,
      find: () =>
        findMatches({
          project: served,
          mirrors,
          reads: createLiveReads(api.db, 2).forCall(served, clock.endMs),
          filter: text ?? compileFilter('true'),
          text,
          limit: 7,
          budget: new CallBudget('a tenant', clock.leftMs),
        }),
    };
  };

  test('gives the same result from the mirror as from the database', async () => {
    const withoutMirror = await searchIn(0);
    const expected = await withoutMirror.find();
    expect(expected).toMatchObject({ isComplete: true });
    expect(expected.count).toBeGreaterThan(500);
    const withMirror = await searchIn(1e9);
    await withMirror.find();
    await expect.poll(() => withMirror.mirrors.isReady(withMirror.served)).toBe(true);
    expect(await withMirror.find()).toEqual(expected);
    expect(withoutMirror.mirrors.isReady(withoutMirror.served)).toBe(false);
  });

  test('that runs out of time says that it is incomplete', async () => {
    const hurried = await searchIn(0, 0);
    expect(await hurried.find()).toEqual({ ids: [], count: 0, isComplete: false });
  });
});
