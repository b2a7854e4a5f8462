import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { deployModel } from '../stack/deploy-model.ts';
import { select } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';
import { fixedParameters, makeProject, type TestProject, trainModel } from '../stack/training.ts';

let project: TestProject;

test.beforeAll(async () => {
  project = await makeProject(caller, { parameters: fixedParameters });
  await deploy(await trainModel(caller, project));
});

const deploy = (model: string) => deployModel((text, values) => select(api.db, text, values), model);

const requestOf = (fields: object) => ({ project_id: project.project_id, ...fields });
const ask = (fields: object) => caller.call('recommendItemsToUser', requestOf(fields));
const refuse = (fields: object) => caller.ask('recommendItemsToUser', requestOf(fields));
const idsOf = async (fields: object) => (await ask(fields)).results.map(({ item }) => item.item_id);
const parityOf = (id: string) => Number(id.slice(1)) % 2;

let events = 0;
const act = (user_id: string, item_id: string, event_type = 'buy') =>
  caller.call('upsertDatasetEvents', {
    event_dataset_id: project.event_dataset_id,
    events: [{ event_id: `p${events++}`, user_id, item_id, ts: 1_800_000_000_000 + events, event_type }],
  });

/** The items of all pages, in order. */
async function readPages(fields: object, onPage: (page: number) => Promise<unknown> = async () => undefined) {
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
    const answer = await ask({ ...fields, cursor });
    pages.push(answer.results.map(({ item }) => item.item_id));
    cursor = answer.cursor;
    await onPage(pages.length);
  }
  return pages;
}

describe('context items', () => {
  test('stand for the taste of a visitor without an ID, and are left out', async () => {
    const { user_id, results } = await ask({ context_items: ['i1', 'i3'], limit: 5 });
    expect(user_id).toBeNull();
    const ids = results.map(({ item }) => item.item_id);
    expect(ids.map(parityOf)).toEqual([1, 1, 1, 1, 1]);
    expect(await idsOf({ context_items: ['i1', 'i3'], limit: 40 })).not.toEqual(
      expect.arrayContaining(['i1']),
    );
    const kept = await idsOf({ context_items: ['i1', 'i3'], limit: 40, exclude_seen: false });
    expect(kept).toEqual(expect.arrayContaining(['i1', 'i3']));
  });

  test('count as events that the user just had, for this call only', async () => {
    await act('just', 'i2');
    const before = await ask({ user_id: 'just', limit: 40, explain: true });
    const context = await ask({ user_id: 'just', context_items: ['i4'], limit: 40, explain: true });
    expect((await ask({ user_id: 'just', limit: 40, explain: true })).results).toEqual(before.results);
    await act('just', 'i4');
    const after = await ask({ user_id: 'just', limit: 40, explain: true });
    expect(context).toMatchObject({ user_id: 'just', results: after.results });
    expect(context.results[0]?.reasons?.map(({ id }) => id).toSorted()).toEqual(['i2', 'i4']);
    for (const { score = 0, reasons = [] } of context.results) {
      const sum = reasons.reduce((total, { contribution }) => total + contribution, 0);
      expect(Math.abs(sum - score)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(score)));
    }
  });

  test('that no model knows are left out too, and change nothing else', async () => {
    const { item_dataset_id } = project;
    await caller.call('upsertDatasetItems', {
      item_dataset_id,
      items: [{ item_id: 'unknown', attributes: {} }],
    });
    const plain = await idsOf({ user_id: 'u0', limit: 200 });
    const context = await idsOf({ user_id: 'u0', limit: 200, context_items: ['unknown', 'nowhere'] });
    expect(context).toEqual(plain.filter((id) => id !== 'unknown'));
    await caller.call('deleteDatasetItems', { item_dataset_id, ids: ['unknown'] });
  });

  test('or a user are required', async () => {
    for (const fields of [{}, { context_items: [] }, { user_id: null }]) {
      const { status, body } = await refuse(fields);
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
    const all = await idsOf({ user_id: 'u0', limit: 40 });
    const exclude_item_ids = [all[0] ?? '', all[3] ?? '', 'nowhere'];
    expect(await idsOf({ user_id: 'u0', limit: 40, exclude_item_ids })).toEqual(
      all.filter((id) => !exclude_item_ids.includes(id)),
    );
  });

  test('by event type replace the target type', async () => {
    await act('types', 'i6', 'buy');
    await act('types', 'i8', 'view');
    await act('types', 'i10', 'like');
    const seen = async (fields: object) => {
      const ids = await idsOf({ user_id: 'types', limit: 200, ...fields });
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
    expect(await idsOf({ user_id: 'u0', limit: 5, exclude_item_ids: ids })).toHaveLength(5);
    const { status } = await refuse({ user_id: 'u0', exclude_item_ids: [...ids, 'one more'] });
    expect(status).toBe(400);
  });
});

describe('a cursor', () => {
  test('leads through the whole list, each item once, in order', async () => {
    const whole = await idsOf({ user_id: 'u1', limit: 200 });
    for (const fields of [{ limit: 7 }, { limit: 7, filter_query: 'item.item_id != "i5"' }]) {
      const pages = await readPages({ user_id: 'u1', ...fields });
      const expected = 'filter_query' in fields ? whole.filter((id) => id !== 'i5') : whole;
      expect(pages.flat()).toEqual(expected);
    }
  });

  test('repeats nothing if the user has new events, or another model is deployed, between pages', async () => {
    await act('pages', 'i2');
    const otherModel = await trainModel(caller, project, {
      parameters: { ...fixedParameters, neighbors: 5, recency: 1 },
    });
    const pages = await readPages({ user_id: 'pages', limit: 6 }, async (page) => {
      if (page === 1) await act('pages', 'i1', 'buy');
      if (page === 2) await deploy(otherModel);
    });
    const ids = pages.flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(pages.length).toBeGreaterThan(3);
  });

  test('may have another limit, other attributes and explanations', async () => {
    const first = await ask({ user_id: 'u1', limit: 3 });
    const { results } = await ask({
      user_id: 'u1',
      limit: 4,
      attributes: ['parity'],
      explain: true,
      cursor: first.cursor,
    });
    const all = await idsOf({ user_id: 'u1', limit: 7 });
    expect(results.map(({ item }) => item.item_id)).toEqual(all.slice(3));
  });

  test('of another request, project or account, or no cursor at all, is refused', async () => {
    const { cursor } = await ask({ user_id: 'u1', limit: 3 });
    const stranger = await api.newCaller();
    const theirs = await makeProject(stranger, { parameters: fixedParameters });
    await deploy(await trainModel(stranger, theirs));
    const foreign = await stranger.ask('recommendItemsToUser', {
      project_id: theirs.project_id,
      user_id: 'u1',
      cursor,
    });
    const answers = [
      await refuse({ user_id: 'u2', cursor }),
      await refuse({ user_id: 'u1', filter_query: 'true', cursor }),
      await refuse({ user_id: 'u1', exclude_item_ids: ['i1'], cursor }),
      await refuse({ user_id: 'u1', cursor: 'none' }),
      foreign,
    ];
    for (const { status, body } of answers)
      expect({ status, code: body.code, path: body.errors[0]?.path }).toEqual({
        status: 400,
        code: 'INVALID_REQUEST',
        path: 'cursor',
      });
  });
});
