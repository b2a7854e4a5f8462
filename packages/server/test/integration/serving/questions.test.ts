import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { storeFutureEvents } from '../stack/kinds.ts';
import { deployDirectly, expectSums, idsIn, openShop, parityOf } from '../stack/shop.ts';
import { api, caller, invalid, perFile, test } from '../stack/stack.ts';
import { fixedParameters, makeProject, trainModel } from '../stack/training.ts';

const shop = perFile(() => openShop({ parameters: fixedParameters }), test);

const similar = (fields: object) =>
  caller.call('recommendItemsToItem', { project_id: shop.project_id, ...fields });
const scoreOf = ({ item, score }: { item: { item_id: string }; score?: number }) =>
  [item.item_id, score] as const;
const ranked = (fields: object) =>
  caller.call('rankItemsForUser', { project_id: shop.project_id, item_ids: ['i0'], ...fields });

describe('similar items', () => {
  test('are those that the same users choose, without the item itself', async () => {
    const { item_ids, user_id, results } = await similar({
      item_id: 'i2',
      limit: 5,
      attributes: ['parity'],
      explain: true,
    });
    expect({ item_ids, user_id }).toEqual({ item_ids: ['i2'], user_id: null });
    expect(results.map(({ item }) => item['parity'])).toEqual(['0', '0', '0', '0', '0']);
    expect(results[0]?.reasons).toMatchObject([{ kind: 'item', id: 'i2' }]);
    expectSums(results);
    expect(idsIn(await similar({ item_id: 'i2', limit: 100 }))).not.toContain('i2');
  });

  test('go with all items of a basket', async () => {
    const basket = ['i1', 'i3', 'i3', 'i5'];
    const { item_ids, results } = await similar({ item_ids: basket, limit: 6, explain: true });
    expect(item_ids).toEqual(['i1', 'i3', 'i5']);
    expect(results.map(({ item }) => parityOf(item.item_id))).toEqual([1, 1, 1, 1, 1, 1]);
    expectSums(results);
    expect(idsIn({ results })).not.toEqual(expect.arrayContaining(['i3']));
  });

  test("follow the user's taste too, and leave out what the user has seen", async () => {
    const all = idsIn(await similar({ item_id: 'i2', limit: 40, exclude_seen: false, user_id: 'u0' }));
    const unseen = await similar({ item_id: 'i2', limit: 40, user_id: 'u0', explain: true });
    const seen = all.filter((id) => !idsIn(unseen).includes(id));
    expect(seen.length).toBeGreaterThan(3);
    expectSums(unseen.results);
    const plain = await similar({ item_id: 'i2', limit: 40, exclude_item_ids: seen, explain: true });
    expect(unseen.results[0]?.reasons?.length).toBeGreaterThan(plain.results[0]?.reasons?.length ?? 0);
  });

  test('take filters, exclusions and pages like other recommendations', async () => {
    const whole = idsIn(await similar({ item_id: 'i2', limit: 200 }));
    const filtered = { item_id: 'i2', limit: 3, filter_query: 'item.item_id != "i4"' };
    const first = await similar(filtered);
    const second = await similar({ ...filtered, cursor: first.cursor });
    expect([...idsIn(first), ...idsIn(second)]).toEqual(whole.filter((id) => id !== 'i4').slice(0, 6));
    const { cursor } = await similar({ item_id: 'i2', limit: 3 });
    const { project_id } = shop;
    const other = await caller.ask('recommendItemsToItem', { project_id, item_id: 'i3', cursor });
    expect(other).toMatchObject(invalid('cursor'));
  });

  test('of an item that the model does not know are recommendations, and the response says so', async () => {
    const { message, message_code, results } = await similar({ item_id: 'nowhere', limit: 5 });
    expect(message_code).toBe('ITEMS_UNKNOWN');
    // What the items are instead depends on whose taste is known.
    const messages = [message];
    for (const fields of [{ user_id: 'u0' }, { context_items: ['i2'] }])
      messages.push((await similar({ item_id: 'nowhere', limit: 5, ...fields })).message);
    expect(new Set(messages).size).toBe(3);
    expect(messages[2]).toContain('context_items');
    expect(results).toHaveLength(5);
    const forUser = await similar({ item_id: 'nowhere', user_id: 'u0', limit: 5 });
    expect(idsIn(forUser)).toEqual(await shop.ids({ user_id: 'u0', limit: 5 }));
    expect((await similar({ item_ids: ['nowhere', 'i2'], limit: 1 })).message).toBeNull();
  });

  test('need either an item or a basket', async () => {
    const { project_id } = shop;
    for (const fields of [{}, { item_id: 'i1', item_ids: ['i2'] }]) {
      const { status, body } = await caller.ask('recommendItemsToItem', { project_id, ...fields });
      expect({ status, paths: body.errors.map(({ path }) => path) }).toEqual({
        status: 400,
        paths: ['item_id', 'item_ids'],
      });
    }
  });

  test('of a model that knows only popularity are popular items, and the response says so', async () => {
    await deployDirectly(await shop.trainPopular());
    const { message_code, results } = await similar({ item_id: 'i2', limit: 5 });
    expect(message_code).toBe('MODEL_UNSUITABLE');
    expect(results).toHaveLength(5);
    expect(idsIn({ results })).not.toContain('i2');
    await deployDirectly(shop.model_id);
  });
});

describe('a ranking', () => {
  test('has all items with scores, best first, and unknown ones last and named', async () => {
    await shop.upsert({ item_id: 'fresh', attributes: { parity: 'new' } });
    const item_ids = ['nowhere', 'i0', 'i1', 'fresh', 'i2', 'i1'];
    const answer = await ranked({ user_id: 'u1', item_ids, attributes: ['parity'], explain: true });
    expect(idsIn(answer).toSorted()).toEqual([...new Set(item_ids)].toSorted());
    expect(idsIn(answer).slice(-2)).toEqual(['nowhere', 'fresh']);
    expect(idsIn(answer)[0]).toBe('i1');
    expect(answer.unknown_item_ids).toEqual(['nowhere', 'fresh']);
    expect(answer.results.map(({ item }) => item['parity']).slice(-2)).toEqual([null, 'new']);
    const scores = answer.results.map(({ score = -1 }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.slice(-2)).toEqual([0, 0]);
    expectSums(answer.results);
    await shop.remove('fresh');
  });

  test('leaves out what does not match the filter, and counts it', async () => {
    const item_ids = ['i4', 'i3', 'nowhere', 'i2', 'i1'];
    const answer = await ranked({ user_id: 'u1', item_ids, filter_query: 'item.parity == "0"' });
    expect(idsIn(answer).toSorted()).toEqual(['i2', 'i4']);
    expect(answer).toMatchObject({ left_out: 3, unknown_item_ids: [], message: null });
    const scores = new Map((await ranked({ user_id: 'u1', item_ids })).results.map(scoreOf));
    expect(answer.results.map(scoreOf)).toEqual(idsIn(answer).map((id) => [id, scores.get(id)]));
    const { project_id } = shop;
    const wrong = { project_id, user_id: 'u1', item_ids, filter_query: 'item.' };
    expect(await caller.ask('rankItemsForUser', wrong)).toMatchObject(invalid('filter_query'));
  });

  test('multiplies scores by boosts, and puts pinned items at their positions, with and without reasons', async () => {
    const item_ids = ['i5', 'i4', 'nowhere', 'i3', 'i2', 'i1', 'i0'];
    const plain = new Map((await ranked({ user_id: 'u1', item_ids })).results.map(scoreOf));
    const boosts = [{ if: 'item.item_id == "i0"', factor: 10 }];
    const boosted = await ranked({ user_id: 'u1', item_ids, boosts, explain: true });
    expect(boosted.results.map(scoreOf)).toContainEqual(['i0', (plain.get('i0') ?? 0) * 10]);
    expectSums(boosted.results);
    const pins = [
      { position: 2, item_id: 'i4' },
      { position: 3, item_id: 'i39' },
      { position: 200, item_id: 'i1' },
    ];
    for (const explain of [true, false]) {
      const pinned = await ranked({ user_id: 'u1', item_ids, boosts, pins, explain });
      const others = idsIn(boosted).filter((id) => !['i4', 'i1', 'nowhere'].includes(id));
      const [first = '', ...rest] = others;
      expect(idsIn(pinned)).toEqual([first, 'i4', ...rest, 'i1', 'nowhere']);
      expect(pinned.results.map(scoreOf)).toContainEqual(['i4', plain.get('i4')]);
      expect(pinned).toMatchObject({ left_out: 0, unknown_item_ids: ['nowhere'] });
    }
  });

  test('has the order and the scores of the recommendations', async () => {
    const { results } = await shop.recommend({
      user_id: 'u0',
      limit: 40,
      exclude_seen: false,
      explain: true,
    });
    const answer = await ranked({ user_id: 'u0', item_ids: idsIn({ results }).toSorted(), explain: true });
    expect(answer.results).toEqual(results);
    expect(answer.unknown_item_ids).toEqual([]);
  });

  test('is possible for a visitor without an ID, and for as many items as allowed', async () => {
    const item_ids = Array.from({ length: limits.rankedItems }, (_, n) => `i${n}`);
    const { user_id, results } = await ranked({ context_items: ['i1', 'i3'], item_ids });
    expect(user_id).toBeNull();
    expect(results).toHaveLength(limits.rankedItems);
    expect(idsIn({ results }).slice(0, 5).map(parityOf)).toEqual([1, 1, 1, 1, 1]);
    const explained = await ranked({ context_items: ['i1', 'i3'], item_ids, explain: true });
    expect(idsIn(explained)).toEqual(idsIn({ results }));
    expect(explained.results.filter(({ reasons }) => reasons !== undefined)).toHaveLength(
      limits.recommendMax,
    );
    expect(explained.message_code).toBe('REASONS_INCOMPLETE');
    const { project_id } = shop;
    const { status } = await caller.ask('rankItemsForUser', { item_ids, project_id });
    expect(status).toBe(400);
  });
});

describe('popular items', () => {
  const popular = (fields: object = {}) =>
    caller.call('recommendPopularItems', { project_id: other.project_id, ...fields });
  /** A shop of its own, since counts are kept for a minute. */
  const other = perFile(() => openShop({ parameters: fixedParameters }), test);

  test.beforeAll(async () => {
    let events = 0;
    const happened = (item: string, hoursAgo: number, count: number, event_type = 'buy') =>
      Array.from({ length: count }, () => ({
        event_id: `t${events++}`,
        user_id: `t${events % 7}`,
        item_id: item,
        ts: Date.now() - hoursAgo * 3_600_000,
        event_type,
      }));
    await caller.call('upsertDatasetEvents', {
      event_dataset_id: other.project.event_dataset_id,
      events: [
        ...happened('i7', 0.2, 9),
        ...happened('i8', 0.3, 5),
        ...happened('i9', 30, 20),
        ...happened('i4', 0.5, 4, 'view'),
        ...happened('nowhere', 0.1, 30),
        // Of a clock that is ahead: as if it had just happened.
        ...happened('i10', -5, 7),
      ],
    });
    const { event_dataset_id } = other.project;
    await storeFutureEvents(api, event_dataset_id, { user_id: 'far', item_id: 'i30', count: 30 });
  });

  test('are those with the most events in the window; the others follow', async () => {
    const day = await popular({ window_hours: 24, limit: 40, explain: true });
    expect(day).toMatchObject({
      user_id: null,
      window_hours: 24,
      event_type: 'buy',
      degraded: [],
      message: null,
    });
    expect(idsIn(day).slice(0, 3)).toEqual(['i7', 'i10', 'i8']);
    expect(day.results[0]).toMatchObject({
      score: 9,
      reasons: [{ kind: 'popularity', id: null, contribution: 9 }],
    });
    expect(idsIn(day)).toHaveLength(40);
    const scores = day.results.map(({ score = 0 }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expectSums(day.results);
    expect(idsIn(await popular({ window_hours: 72, limit: 3 }))).toEqual(['i9', 'i7', 'i10']);
    expect(idsIn(await popular({ window_hours: 24, event_type: 'view', limit: 1 }))).toEqual(['i4']);
  });

  test('are counted over a window that the service chooses', async () => {
    const { window_hours, results } = await popular({ limit: 5 });
    expect(window_hours).toBeGreaterThan(0);
    expect(results).toHaveLength(5);
  });

  test('of a type without events are ordered by the model, and the response says so', async () => {
    const { message_code, results } = await popular({ event_type: 'never', limit: 5 });
    expect(message_code).toBe('NO_RECENT_EVENTS');
    expect(results).toHaveLength(5);
    // The order is the same for users with another taste.
    const everyItem = { event_type: 'never', limit: 40, exclude_seen: false };
    const [everyone, ...users] = await Promise.all(
      [{}, { user_id: 'u0' }, { user_id: 'u1' }].map((fields) => popular({ ...everyItem, ...fields })),
    );
    for (const user of users) expect(idsIn(user)).toEqual(everyone && idsIn(everyone));
  });

  test('may be limited to an attribute value, a filter, and what the user has not seen', async () => {
    const odd = await popular({ window_hours: 72, limit: 2, attribute: 'parity', value: '1' });
    expect(idsIn(odd)).toEqual(['i9', 'i7']);
    const both = { window_hours: 72, limit: 1, attribute: 'parity', value: '1' };
    expect(idsIn(await popular({ ...both, filter_query: 'item.item_id != "i9"' }))).toEqual(['i7']);
    await caller.call('upsertDatasetEvents', {
      event_dataset_id: other.project.event_dataset_id,
      events: [{ event_id: 'own', user_id: 'buyer', item_id: 'i7', ts: Date.now(), event_type: 'buy' }],
    });
    const unseen = await popular({ window_hours: 24, limit: 40, user_id: 'buyer' });
    expect(idsIn(unseen)).not.toContain('i7');
    expect(idsIn(unseen)[0]).toBe('i10');
    const refused = await caller.ask('recommendPopularItems', { attribute: 'parity' });
    expect(refused).toMatchObject(invalid('value'));
  });

  test('come page by page', async () => {
    const whole = idsIn(await popular({ window_hours: 72, limit: 40 }));
    const first = await popular({ window_hours: 72, limit: 2 });
    const second = await popular({ window_hours: 72, limit: 3, cursor: first.cursor });
    expect([...idsIn(first), ...idsIn(second)]).toEqual(whole.slice(0, 5));
  });
});

describe('a call that names a model', () => {
  const recommend = (fields: object) => shop.recommend({ user_id: 'u0', limit: 5, explain: true, ...fields });

  test('is answered by it, and others by the deployed one', async () => {
    const deployed = await recommend({});
    const model_id = await trainModel(caller, shop.project);
    // The deployed model is the same whether it is named or not.
    expect((await recommend({ model_id: shop.model_id })).results).toEqual(deployed.results);
    const named = await recommend({ model_id: await shop.trainPopular() });
    expect(named.results.every(({ reasons }) => reasons?.every(({ kind }) => kind === 'popularity'))).toBe(
      true,
    );
    expect((await recommend({ model_id })).results).toHaveLength(5);
    expect((await recommend({})).results).toEqual(deployed.results);
  });

  test('must name one of the same project', async () => {
    const other = await makeProject(caller, { parameters: fixedParameters });
    const foreign = await trainModel(caller, other);
    for (const model_id of [foreign, 'mdl_none'])
      expect((await shop.ask({ user_id: 'u0', model_id })).status).toBe(404);
  });
});
