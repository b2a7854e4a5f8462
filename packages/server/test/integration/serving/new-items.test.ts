import { isDeepStrictEqual } from 'node:util';
import type { Request } from '@tastegraph/contract';
import { expect, vi } from 'vitest';
import { rankListedItems } from '../../../src/serving/questions/rank-items.ts';
import { recommendItems } from '../../../src/serving/questions/recommend-items.ts';
import { similarItems } from '../../../src/serving/questions/similar-items.ts';
import { idsIn, openShop } from '../stack/shop.ts';
import { caller, perFile, test } from '../stack/stack.ts';
import { fixedParameters } from '../stack/training.ts';
import { callOf, newServing, plentyMs, resolveServed } from './serving-calls.ts';

/** Items that were added after the training, scored by their attributes. */

// Users with an even number take items with parity 0.
const shop = perFile(() => openShop({ parameters: fixedParameters }), test);
const project = perFile(() => resolveServed(shop.project_id), test);
const serving = perFile(newMirrored, test);

/** A serving process that has loaded the items. */
async function newMirrored() {
  const made = newServing(1e9);
  await vi.waitUntil(() => made.mirrors.open(project, plentyMs), { timeout: 60_000 });
  return made;
}

async function ask(fields: Partial<Request<'recommendItemsToUser'>>, from = serving) {
  const answer = await recommendItems(callOf(from, project, 'recommendItemsToUser'), {
    project_id: shop.project_id,
    user_id: 'u0',
    limit: 200,
    explain: true,
    ...fields,
  });
  return answer?.results ?? [];
}
const idsOf = async (...asked: Parameters<typeof ask>) => idsIn({ results: await ask(...asked) });

const even = { item_id: 'even', attributes: { parity: '0' } };
const odd = { item_id: 'odd', attributes: { parity: '1' } };
const isOdd = (id: string) => /^i\d*[13579]$/.test(id);

/** Its reasons add up to its score. */
function expectSum(found: Awaited<ReturnType<typeof ask>>[number] | undefined): void {
  const sum = found?.reasons?.reduce((total, { contribution }) => total + contribution, 0);
  expect(sum).toBeCloseTo(found?.score ?? 0, 5);
}

test('an item is in the next call where its attributes put it, with reasons that add up', async () => {
  await shop.upsert(even, odd);
  const results = await ask({});
  const ids = idsIn({ results });
  // Above the items of the other taste, not merely last.
  expect(ids.indexOf('even')).toBeGreaterThanOrEqual(0);
  expect(ids.indexOf('even')).toBeLessThan(ids.indexOf('odd'));
  expect(ids.indexOf('even')).toBeLessThan(Math.max(...ids.filter(isOdd).map((id) => ids.indexOf(id))));
  const found = results.find(({ item }) => item.item_id === 'even');
  expect(found?.is_new).toBe(true);
  expect(found?.score).toBeGreaterThan(0);
  expectSum(found);
  expect(found?.reasons?.every(({ kind }) => kind === 'item')).toBe(true);
  // Another taste, another order.
  const others = await idsOf({ user_id: 'u1' });
  expect(others.indexOf('odd')).toBeLessThan(others.indexOf('even'));
});

test('changes of its attributes count at once, and so does its deletion', async () => {
  await shop.upsert({ item_id: 'moving', attributes: { parity: '1' } }, even);
  const before = await idsOf({});
  expect(before.indexOf('moving')).toBeGreaterThan(before.indexOf('even'));
  await shop.upsert({ item_id: 'moving', attributes: { parity: '0' } });
  const scores = new Map((await ask({})).map(({ item, score }) => [item.item_id, score]));
  expect(scores.get('moving')).toBe(scores.get('even'));
  await shop.remove('moving');
  expect(await idsOf({})).not.toContain('moving');
});

test('filters, exclusions, boosts and pages treat it like every other item', async () => {
  await shop.upsert(even);
  expect(await idsOf({ exclude_item_ids: ['even'] })).not.toContain('even');
  expect(await idsOf({ filter_query: 'item.parity == "1"' })).not.toContain('even');
  expect(await idsOf({ filter_query: 'item.item_id == "even"' })).toEqual(['even']);
  const plain = await idsOf({});
  const boosted = await ask({ boosts: [{ if: 'item.item_id == "even"', factor: 10 }], limit: 5 });
  const place = boosted.findIndex(({ item }) => item.item_id === 'even');
  expect(place).toBeGreaterThanOrEqual(0);
  expect(place).toBeLessThanOrEqual(plain.indexOf('even'));
  expect(boosted[place]?.rules).toEqual([{ rule: 'boost', if: 'item.item_id == "even"', factor: 10 }]);
  await shop.act('u2', 'even');
  expect(await idsOf({ user_id: 'u2' })).not.toContain('even');
});

test('the users who take it say who else will like it, before the next training', async () => {
  // The model knows none of its attributes.
  await shop.upsert({ item_id: 'plain', attributes: { color: 'teal' } });
  expect((await ask({})).find(({ item }) => item.item_id === 'plain')?.score).toBe(0);
  const takers = ['u5', 'u7', 'u9', 'u11'];
  await caller.call('upsertDatasetEvents', {
    event_dataset_id: shop.project.event_dataset_id,
    events: takers.map((user_id) => ({
      event_id: `plain ${user_id}`,
      user_id,
      item_id: 'plain',
      ts: Date.now(),
      event_type: 'buy',
    })),
  });
  const later = await newMirrored();
  const find = async (user_id: string) =>
    (await ask({ user_id }, later)).find(({ item }) => item.item_id === 'plain');
  await expect.poll(async () => (await find('u1'))?.score, { timeout: 30_000 }).toBeGreaterThan(0);
  const [like, unlike] = [await find('u1'), await find('u0')];
  expect(like?.score).toBeGreaterThan(2 * (unlike?.score ?? 0));
  expect(like?.reasons?.length).toBeGreaterThan(0);
  expect(like?.reasons?.every(({ kind, id }) => kind === 'item' && isOdd(id ?? ''))).toBe(true);
  expectSum(like);
  expect(await idsOf({ user_id: 'u5' }, later)).not.toContain('plain');
  await shop.remove('plain');
  expect(await find('u1')).toBeUndefined();
});

test('a list that is ranked for a user has it in its place', async () => {
  await shop.upsert(even, odd, { item_id: 'unlike all', attributes: { color: 'teal' } });
  const { project_id } = shop;
  const item_ids = ['odd', 'i1', 'unlike all', 'missing', 'even', 'i0'];
  const answer = await rankListedItems(callOf(serving, project, 'rankItemsForUser'), {
    project_id,
    user_id: 'u0',
    item_ids,
    explain: true,
  });
  const ids = answer?.results.map(({ item }) => item.item_id) ?? [];
  expect(ids.toSorted()).toEqual(item_ids.toSorted());
  expect(ids.indexOf('even')).toBeLessThan(ids.indexOf('odd'));
  expect(ids.indexOf('even')).toBeLessThan(ids.indexOf('i1'));
  expect(answer?.unknown_item_ids).not.toContain('even');
  expect(answer?.unknown_item_ids).toEqual(expect.arrayContaining(['unlike all', 'missing']));
  expectSum(answer?.results[ids.indexOf('even')]);
});

test('it is among similar items, and has similar items itself', async () => {
  await shop.upsert(even, odd);
  const { project_id } = shop;
  const similarTo = async (item_id: string) => {
    const answer = await similarItems(callOf(serving, project, 'recommendItemsToItem'), {
      project_id,
      item_id,
      limit: 200,
      explain: true,
    });
    return { ids: answer?.results.map(({ item }) => item.item_id) ?? [], ...answer };
  };
  const { ids } = await similarTo('i0');
  expect(ids.indexOf('even')).toBeGreaterThanOrEqual(0);
  expect(ids.indexOf('even')).toBeLessThan(ids.indexOf('odd'));
  const like = await similarTo('even');
  expect(like.message).toBeNull();
  expect(like.ids).not.toContain('even');
  expect(like.ids.slice(0, 5).filter((id) => isOdd(id))).toEqual([]);
  const [first] = like.results ?? [];
  expect(first?.reasons).toEqual([{ kind: 'item', id: 'even', contribution: first?.score }]);
  // Nothing is known of an item that does not exist.
  expect((await similarTo('missing')).message).not.toBeNull();
});

test('two serving processes give the same answer, whenever they loaded the items', async () => {
  // Equal attributes, so equal scores: the order must not depend on when a process saw an item.
  for (const id of ['z', 'a', 'm']) await shop.upsert({ item_id: id, attributes: { parity: '0' } });
  await shop.remove('m');
  await shop.upsert({ item_id: 'm', attributes: { parity: '0' } });
  const other = await newMirrored();
  // What users took is read in the background.
  await expect
    .poll(async () => isDeepStrictEqual(await ask({}, other), await ask({})), { timeout: 60_000 })
    .toBe(true);
});
