import { limits, type Response } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { withoutId } from '../stack/caller.ts';
import { storeFutureEvents } from '../stack/kinds.ts';
import { expectSums, idsIn, openShop, parityOf } from '../stack/shop.ts';
import { api, caller, invalid, perFile, problem, test } from '../stack/stack.ts';

type Recommendation = Response<'recommendItemsToUser'>;

const shop = perFile(openShop, test);

const ask = (user_id: string, fields: object = {}) => shop.recommend({ user_id, ...fields });
const idsOf = (user_id: string, fields: object = {}) => shop.ids({ user_id, ...fields });

describe('the recommendation call', () => {
  test("responds as the contract says, by the user's taste", async () => {
    const { results, recommendation_id, cursor, ...rest } = await ask('u0', {
      limit: 5,
      attributes: ['parity', 'nothing'],
    });
    expect(recommendation_id).toMatch(/^rec_[0-9a-z]{26}[0-9a-f]{16}$/);
    expect(typeof cursor).toBe('string');
    expect(rest).toEqual({
      user_id: 'u0',
      limit: 5,
      attributes: ['parity', 'nothing'],
      filter_query: null,
      shortfall: null,
      shortfall_code: null,
      degraded: [],
      message: null,
      message_code: null,
    });
    expect(results).toHaveLength(5);
    for (const { item } of results) {
      expect(item).toEqual({ item_id: item.item_id, parity: '0', nothing: null });
      expect(parityOf(item.item_id)).toBe(0);
    }
  });

  test('serves a limit above the maximum as the maximum, echoes it and says so', async () => {
    const ids = Array.from({ length: limits.recommendMax + 20 }, (_, n) => `many${n}`);
    await shop.upsert(...ids.map((item_id) => ({ item_id, attributes: {} })));
    const limit = limits.recommendMax + 1;
    const { message_code, shortfall, results, ...rest } = await ask('u0', { limit });
    expect({ limit: rest.limit, results: results.length, shortfall }).toEqual({
      limit,
      results: limits.recommendMax,
      shortfall: null,
    });
    expect(message_code).toBe('LIMIT_LOWERED');
    expect((await ask('u0', { limit: limits.recommendMax })).message).toBeNull();
    await shop.remove(...ids);
  });

  test('returns null for missing attributes, also for names that objects inherit', async () => {
    const attributes = ['constructor', '__proto__', 'item_id'];
    const { results } = await ask('u0', { limit: 1, attributes });
    const [first] = results;
    expect(Object.entries(first?.item ?? {})).toEqual([
      ['item_id', first?.item.item_id],
      ['constructor', null],
      ['__proto__', null],
    ]);
  });

  test('returns the same response to the same request, with its own ID', async () => {
    const request = { limit: 20, explain: true, attributes: ['parity'] };
    const [one, other] = [await ask('u3', request), await ask('u3', request)];
    expect(JSON.stringify(withoutId(one))).toBe(JSON.stringify(withoutId(other)));
    expect(one.recommendation_id).not.toBe(other.recommendation_id);
  });

  test('excludes seen items unless exclude_seen is false', async () => {
    const had = Array.from({ length: 8 }, (_, turn) => `i${2 * ((turn * 3) % 20)}`);
    const all = await idsOf('u0', { limit: 40 });
    expect(all.filter((id) => had.includes(id))).toEqual([]);
    const kept = await idsOf('u0', { limit: 40, exclude_seen: false });
    expect(kept.filter((id) => had.includes(id)).toSorted()).toEqual(had.toSorted());
  });

  test('uses an event in the very next call, also of a user unknown to the model', async () => {
    await shop.act('new', 'i1');
    await shop.act('new', 'i3');
    const odd = await idsOf('new', { limit: 5 });
    expect(odd.map(parityOf)).toEqual([1, 1, 1, 1, 1]);
    expect(odd).not.toContain('i1');
    await shop.act('new', odd[0] ?? '');
    expect(await idsOf('new', { limit: 40 })).not.toContain(odd[0]);
  });

  test('uses an event of a clock that is ahead in the very next call', async () => {
    const events = [2, 4].map((item) => ({
      event_id: `ahead ${item}`,
      user_id: 'ahead',
      item_id: `i${item}`,
      ts: Date.now() + 5000,
      event_type: 'buy',
    }));
    await caller.call('upsertDatasetEvents', { event_dataset_id: shop.project.event_dataset_id, events });
    const even = await idsOf('ahead', { limit: 5 });
    expect(even.map(parityOf)).toEqual([0, 0, 0, 0, 0]);
    expect(even.filter((id) => id === 'i2' || id === 'i4')).toEqual([]);
  });

  test('goes by the events that happened, however many of the future are stored', async () => {
    for (let n = 0; n < 30; n++) await shop.act('victim', `i${2 * (n % 10)}`);
    const before = await ask('victim', { limit: 40, explain: true });
    const { event_dataset_id } = shop.project;
    await storeFutureEvents(api, event_dataset_id, { user_id: 'victim', item_id: 'i31', count: 1000 });
    const after = await ask('victim', { limit: 40, explain: true });
    expect(after.results).toEqual(before.results);
  });

  test('recommends by popularity to a user without events', async () => {
    const { results, shortfall } = await ask('nobody', { limit: 10 });
    expect(results).toHaveLength(10);
    expect(shortfall).toBeNull();
  });

  test("returns an item's current attributes, and no deleted items", async () => {
    const [first = ''] = await idsOf('u2', { limit: 1 });
    await shop.upsert({ item_id: first, attributes: { parity: 'changed' } });
    expect((await ask('u2', { limit: 1, attributes: ['parity'] })).results[0]?.item).toEqual({
      item_id: first,
      parity: 'changed',
    });
    await shop.remove(first);
    expect(await idsOf('u2', { limit: 40 })).not.toContain(first);
    await shop.upsert({ item_id: first, attributes: { parity: '0' } });
    expect((await idsOf('u2', { limit: 1 }))[0]).toBe(first);
  });

  test('fills up with items that were added after the training', async () => {
    await shop.upsert({ item_id: 'fresh', attributes: {} });
    const all = await idsOf('u4', { limit: 200 });
    expect(all.at(-1)).toBe('fresh');
    expect(new Set(all).size).toBe(all.length);
    await shop.act('u4', 'fresh');
    expect(await idsOf('u4', { limit: 200 })).not.toContain('fresh');
    await shop.remove('fresh');
  });

  test('never returns seen items, even beyond the newest thousand events', async () => {
    const { event_dataset_id } = shop.project;
    const old = { user_id: 'old', ts: 1, event_type: 'buy' };
    await caller.call('upsertDatasetEvents', {
      event_dataset_id,
      events: [{ ...old, event_id: 'old', item_id: 'i7' }],
    });
    const newer = Array.from({ length: 1000 }, (_, n) => ({
      ...old,
      event_id: `old${n}`,
      item_id: 'i5',
      ts: 1000 + n,
    }));
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: newer });
    expect(await idsOf('old', { limit: 200 })).not.toContain('i7');
  });
});

describe('a filter', () => {
  test('keeps matching items, and says why there are fewer than requested', async () => {
    const even = await ask('u1', { limit: 5, filter_query: 'item.parity == "0"' });
    expect(even.filter_query).toBe('item.parity == "0"');
    expect(idsIn(even).map(parityOf)).toEqual([0, 0, 0, 0, 0]);
    const one = await ask('u1', { limit: 5, filter_query: 'item.item_id == "i10"' });
    expect(idsIn(one)).toEqual(['i10']);
    expect(one.shortfall_code).toBe('FEW_MATCHES');
  });

  test('that is invalid is refused with the position of the mistake', async () => {
    const refused = await shop.ask({ user_id: 'u1', filter_query: 'item.parity == ' });
    expect(refused).toMatchObject(invalid('filter_query'));
  });
});

describe('an explanation', () => {
  test('adds up to the score', async () => {
    await shop.act('why', 'i2');
    await shop.act('why', 'i4');
    const { results } = await ask('why', { limit: 30, explain: true });
    expectSums(results);
    expect(results[0]?.reasons?.map(({ kind, id }) => `${kind} ${id}`).toSorted()).toEqual([
      'item i2',
      'item i4',
    ]);
    const scores = results.map(({ score }) => score ?? 0);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
});

describe('the project of a call', () => {
  test("is the account's default project, the one in the request, or the one in the path", async () => {
    const own = await api.newCaller();
    const none = await own.ask('recommendItemsToUser', { user_id: 'u0' });
    expect(none).toMatchObject(problem(409, 'PROJECT_NOT_DEPLOYED'));
    const first = await openShop({}, own);
    expect((await own.call('recommendItemsToUser', { user_id: 'u0' })).results).toHaveLength(10);
    const second = await openShop({}, own);
    expect((await own.call('recommendItemsToUser', { user_id: 'u0' })).results).toHaveLength(10);
    const headers = { ...(await own.headers()), 'content-type': 'application/json' };
    const at = (body: object) =>
      fetch(`${api.baseUrl}/projects/${second.project_id}/recommend-items-to-user`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
    expect((await at({ user_id: 'u0' })).status).toBe(200);
    const bare = await fetch(`${api.baseUrl}/projects/${second.project_id}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ user_id: 'u0' }),
    });
    expect(bare.status).toBe(200);
    const bodyOf = async (answer: globalThis.Response) => withoutId((await answer.json()) as Recommendation);
    expect(await bodyOf(bare)).toEqual(await bodyOf(await at({ user_id: 'u0' })));
    expect((await at({ user_id: 'u0', project_id: first.project_id })).status).toBe(400);
    await own.call('deleteProject', { project_id: second.project_id });
    expect((await at({ user_id: 'u0' })).status).toBe(404);
  });

  test('is the first deployed one, until a default is chosen, even while it is shut down', async () => {
    const own = await api.newCaller();
    const [first, second] = [await openShop({}, own), await openShop({}, own)];
    const defaults = async () =>
      (await own.call('listProjects', {})).projects.filter((one) => one.default).map((one) => one.project_id);
    const served = async () => {
      const { status, body } = await own.ask('recommendItemsToUser', { user_id: 'u0' });
      return status === 200 ? 'served' : body.code;
    };
    expect(await defaults()).toEqual([first.project_id]);
    await own.call('shutdownDeployment', { project_id: first.project_id });
    expect(await defaults()).toEqual([first.project_id]);
    const { body } = await own.ask('recommendItemsToUser', { user_id: 'u0' });
    expect(body.code).toBe('PROJECT_NOT_DEPLOYED');
    expect(body.detail).toContain(first.project_id);
    const changed = await own.call('updateProject', { project_id: second.project_id, default: true });
    expect(changed.default).toBe(true);
    expect(await defaults()).toEqual([second.project_id]);
    expect(await served()).toBe('served');
    const refused = await own.ask('updateProject', { project_id: second.project_id, default: false });
    expect(refused).toMatchObject(invalid('default'));
    expect((await own.call('updateProject', { project_id: first.project_id, default: false })).default).toBe(
      false,
    );
    await own.call('deleteProject', { project_id: second.project_id });
    expect(await defaults()).toEqual([first.project_id]);
    const other = await api.newCaller();
    const others = await other.ask('updateProject', { project_id: first.project_id, default: true });
    expect(others.body.code).toBe('NOT_FOUND');
  });
});
