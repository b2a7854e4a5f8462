import { expect } from 'vitest';
import { idsIn, openShop } from '../stack/shop.ts';
import { caller, invalid, perFile, test } from '../stack/stack.ts';
import { fixedParameters } from '../stack/training.ts';

/** Positions that `new_item_share` reserves for items without events. */

// Every item has at least ten events.
const shop = perFile(() => openShop({ users: 160, parameters: fixedParameters }), test);
const newIds = Array.from({ length: 12 }, (_, item) => `new${String(item).padStart(2, '0')}`);

test.beforeAll(async () => {
  // Attribute values that the model does not know: it has nothing to score the items by.
  await shop.upsert(...newIds.map((item_id, n) => ({ item_id, attributes: { shelf: String(n % 3) } })));
  await caller.call('upsertDatasetEvents', {
    event_dataset_id: shop.project.event_dataset_id,
    events: [{ event_id: 'late', user_id: 'somebody', item_id: 'new03', ts: Date.now(), event_type: 'buy' }],
  });
});

const ask = (fields: object) => shop.recommend({ user_id: 'u0', ...fields });
const isNew = (id: string) => id.startsWith('new');

test('reserves positions for new items, drawn among the five best, and says with which probability', async () => {
  const known = idsIn(await ask({ limit: 200 })).filter((id) => !isNew(id));
  const page = await ask({ limit: 8, new_item_share: 0.25, explain: true });
  const drawn = page.results.filter(({ item }) => isNew(item.item_id));
  // Rounded: the share is due at the positions 2 and 6.
  expect(page.results.flatMap(({ is_new }, place) => (is_new ? [place + 1] : []))).toEqual([2, 6]);
  expect(drawn.map(({ rules }) => rules)).toEqual([
    [{ rule: 'new_item_share', probability: 0.2 }],
    [{ rule: 'new_item_share', probability: 0.2 }],
  ]);
  expect(newIds.slice(0, 5)).toContain(drawn[0]?.item.item_id);
  expect(idsIn(page).filter((id) => !isNew(id))).toEqual(known.slice(0, 6));
  expect(page.results.every((one) => one.is_new === isNew(one.item.item_id))).toBe(true);
});

test('draws the same for a user again, and differently for others', async () => {
  const drawnFor = async (user_id: string) =>
    idsIn(await ask({ user_id, limit: 8, new_item_share: 0.25 })).filter(isNew);
  expect(await drawnFor('u0')).toEqual(await drawnFor('u0'));
  const others = await Promise.all(Array.from({ length: 30 }, (_, user) => drawnFor(`u${user}`)));
  expect(new Set(others.flat()).size).toBeGreaterThan(3);
});

test('keeps its share on every page and repeats nothing', async () => {
  const pages = await shop.pages({ user_id: 'u0', limit: 6, new_item_share: 0.5 });
  const all = pages.flat();
  expect(new Set(all).size).toBe(all.length);
  expect(all.toSorted()).toEqual(idsIn(await ask({ limit: 200 })).toSorted());
  expect(pages.slice(0, 4).map((page) => page.filter(isNew).length)).toEqual([3, 3, 3, 3]);
});

test('respects the filter, exclusions, pins and the other rules', async () => {
  const filter_query = 'item.parity == "1" || item.shelf == "1"';
  const excluded = ['new01', 'new04'];
  const page = await ask({
    limit: 6,
    new_item_share: 0.5,
    filter_query,
    exclude_item_ids: excluded,
    pins: [{ position: 1, item_id: 'new05' }],
    promote: { if: 'item.item_id == "i39"', share: 0.2 },
    boosts: [{ if: 'item.shelf == "1"', factor: 2 }],
    explain: true,
  });
  const ids = idsIn(page);
  expect(ids[0]).toBe('new05');
  expect(ids.filter(isNew).toSorted()).toEqual(['new05', 'new07', 'new10']);
  expect(ids).toContain('i39');
  expect(page.results.find(({ item }) => item.item_id === 'new10')?.rules).toEqual([
    expect.objectContaining({ rule: 'new_item_share' }),
    { rule: 'boost', if: 'item.shelf == "1"', factor: 2 },
  ]);
});

test('is in the log of the answers and in a scenario', async () => {
  const { project_id } = shop;
  const settings = {
    project_id,
    name: 'with new items',
    question: 'ITEMS_TO_USER',
    new_item_share: 0.5,
  } as const;
  await caller.call('createScenario', settings);
  const answer = await ask({ scenario: 'with new items', limit: 4 });
  expect(idsIn(answer).filter(isNew)).toHaveLength(2);
  const { recommendation_id } = answer;
  const read = async () => (await caller.ask('getRecommendation', { project_id, recommendation_id })).status;
  await expect.poll(read, { timeout: 60_000, interval: 250 }).toBe(200);
  const given = await caller.call('getRecommendation', { project_id, recommendation_id });
  expect(given.request).toMatchObject({ new_item_share: 0.5 });
  expect(given.results.map(({ rules }) => rules.map(({ probability }) => probability))).toEqual(
    answer.results.map(({ item }) => (isNew(item.item_id) ? [0.2] : [])),
  );
});

test('works for similar and popular items, and with the algorithm POPULAR', async () => {
  const { project_id } = shop;
  const share = { project_id, limit: 4, new_item_share: 0.5 };
  // `new03` is popular, although the model does not know it.
  const popularIds = idsIn(await caller.call('recommendPopularItems', { project_id, limit: 200 }));
  expect(popularIds).toContain('new03');
  expect(new Set(popularIds).size).toBe(popularIds.length);
  const similar = await caller.call('recommendItemsToItem', { ...share, item_id: 'i1' });
  expect(idsIn(similar).filter(isNew)).toHaveLength(2);
  expect(idsIn(await caller.call('recommendPopularItems', share)).filter(isNew)).toHaveLength(2);
  const model_id = await shop.trainPopular();
  await shop.upsert({ item_id: 'newest', attributes: {} });
  const popular = await ask({ model_id, limit: 4, new_item_share: 0.5, explain: true });
  // Of the items of its training, this model does not know how many events they had.
  expect(idsIn({ results: popular.results.filter(({ is_new }) => is_new) })).toEqual(['newest']);
});

test('is refused beyond a half', async () => {
  const refused = await shop.ask({ user_id: 'u0', new_item_share: 0.6 });
  expect(refused).toMatchObject(invalid('new_item_share'));
});
