import type { Request } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { ModelCache } from '../../../src/models/model-cache.ts';
import { popularItems } from '../../../src/serving/questions/popular-items.ts';
import { rankListedItems } from '../../../src/serving/questions/rank-items.ts';
import { recommendItems } from '../../../src/serving/questions/recommend-items.ts';
import { similarItems } from '../../../src/serving/questions/similar-items.ts';
import { type LiveReads } from '../../../src/serving/state/live-reads.ts';
import { openShop } from '../stack/shop.ts';
import { api, perFile, test } from '../stack/stack.ts';
import { fixedParameters } from '../stack/training.ts';
import { callOf, newServing, plentyMs, resolveServed } from './serving-calls.ts';

const items = 300;

const shop = perFile(() => openShop({ items, users: 200, parameters: fixedParameters }), test);
const project = perFile(() => resolveServed(shop.project_id), test);
let models: ModelCache;

test.beforeAll(async () => {
  models = new ModelCache(api.store, 1e9);
  await shop.upsert(...Array.from({ length: items + 20 }, (_, n) => recordOf(n)));
});

/** The last ones are newer than the model. Some are large. */
const recordOf = (n: number) => ({
  item_id: n < items ? `i${n}` : `new${n}`,
  attributes: {
    group: n % 7,
    genres: [`g${n % 5}`, `g${n % 3}`],
    ...(n % 4 === 0 && { details: [n, 'm', true] }),
    ...(n % 50 === 0 && { text: 'long '.repeat(1000) }),
    numbers: Array.from({ length: 300 }, (_, value) => value),
  },
});

/** A serving process with the given memory for mirrors, which counts its reads of items. */
function newCountingServing(mirrorBytes: number) {
  const counts = { itemReads: 0 };
  const serving = newServing(mirrorBytes, models);
  const reads: LiveReads = {
    ...serving.reads,
    forCall: (of, endMs) => {
      const call = serving.reads.forCall(of, endMs);
      return {
        ...call,
        items: (request) => {
          counts.itemReads++;
          return call.items(request);
        },
      };
    },
  };
  return { ...serving, counts, reads };
}
type Serving = ReturnType<typeof newCountingServing>;

async function newMirrored(): Promise<Serving> {
  const serving = newCountingServing(1e9);
  await expect.poll(() => serving.mirrors.open(project, plentyMs), { timeout: 30_000 }).toBeDefined();
  return serving;
}

const ask = (serving: Serving, fields: Partial<Request<'recommendItemsToUser'>>) =>
  recommendItems(callOf(serving, project, 'recommendItemsToUser'), {
    project_id: shop.project_id,
    user_id: 'u0',
    limit: 12,
    explain: true,
    ...fields,
  });

const boosts = [
  { if: 'item.group == 3', factor: 4 },
  { if: '"g1" in item.genres', factor: 0.5 },
];
const diversity = { level: 'MEDIUM' } as const;
const cap = { attribute: 'genres', max_per_value: 3 };
const promote = { if: 'item.group == 5', share: 0.4 };
const pins = [
  { position: 2, item_id: 'i7' },
  { position: 3, item_id: 'none' },
];
const filter_query = 'item.group < 4';

describe('rules give the same response from a mirror as from the database', () => {
  test.each(
    Object.entries({
      boosts: { boosts },
      'a level of diversity': { diversity },
      'a limit per value': { diversity: cap },
      'a promotion': { promote },
      pins: { pins },
      'all rules': { boosts, diversity: { ...diversity, ...cap }, promote, pins },
      'rules and a filter': { boosts, diversity, promote, filter_query },
      'a list as long as the catalogue': { boosts, limit: 200, exclude_item_ids: ['i1', 'i2'] },
    }),
  )('%s', async (_, rules) => {
    const mirrored = await newMirrored();
    const plain = newCountingServing(0);
    for (const user_id of ['u0', 'u7', 'nobody'])
      for (const attributes of [[], ['group', 'genres'], ['details', 'text']]) {
        const fields = { user_id, attributes, ...rules };
        const expected = await ask(plain, fields);
        expect(await ask(mirrored, fields)).toEqual(expected);
        if (expected?.cursor === undefined) continue;
        const next = { ...fields, cursor: expected.cursor };
        expect(await ask(mirrored, next)).toEqual(await ask(plain, next));
      }
  });

  test('for each question', async () => {
    const mirrored = await newMirrored();
    const plain = newCountingServing(0);
    const { project_id } = shop;
    const common = { project_id, attributes: ['group', 'details'] };
    const rules = { ...common, boosts, diversity, promote, explain: true };
    const listed = Array.from({ length: 40 }, (_, n) => recordOf(n * 8).item_id);
    for (const answer of [
      (serving: Serving) =>
        similarItems(callOf(serving, project, 'recommendItemsToItem'), { ...rules, item_id: 'i4' }),
      (serving: Serving) => popularItems(callOf(serving, project, 'recommendPopularItems'), rules),
      (serving: Serving) =>
        rankListedItems(callOf(serving, project, 'rankItemsForUser'), {
          ...common,
          user_id: 'u0',
          item_ids: [...listed, 'unknown', 'new310'],
        }),
    ])
      expect(await answer(mirrored)).toEqual(await answer(plain));
  });

  test('also if the conditions of boosts are too expensive to evaluate while items are scored', async () => {
    const expensive = [
      {
        if: 'item.group == 2 && !item.numbers.exists(a, item.numbers.exists(b, a + b < 0))',
        factor: 3,
      },
    ];
    const mirrored = await newMirrored();
    expect(await ask(mirrored, { boosts: expensive })).toEqual(
      await ask(newCountingServing(0), { boosts: expensive }),
    );
    expect(mirrored.counts.itemReads).toBeGreaterThan(0);
  });
});

describe('a call with rules', () => {
  test('reads no item from the database if there is a mirror', async () => {
    const mirrored = await newMirrored();
    const rules = { boosts, diversity, promote, pins, filter_query, attributes: ['group', 'details'] };
    const { results = [] } = (await ask(mirrored, rules)) ?? {};
    expect(results.some(({ item }) => item.details !== null)).toBe(true);
    expect(mirrored.counts.itemReads).toBe(0);
  });

  test('sees what was written, and omits what was deleted, before the call', async () => {
    const mirrored = await newMirrored();
    const only = [{ if: 'item.hot == true', factor: 10 }];
    const before = await ask(mirrored, { boosts: only, attributes: ['hot'] });
    const [, second, , , fifth] = before?.results ?? [];
    const chosen = { ...fifth?.item, item_id: fifth?.item.item_id ?? '' };
    await shop.upsert({ item_id: chosen.item_id, attributes: { hot: true } });
    const after = await ask(mirrored, { boosts: only, attributes: ['hot'] });
    expect(after?.results[0]?.item).toEqual({ item_id: chosen.item_id, hot: true });
    await shop.remove(chosen.item_id, second?.item.item_id ?? '');
    const last = await ask(mirrored, { boosts: only });
    const ids = last?.results.map(({ item }) => item.item_id) ?? [];
    expect(ids).toHaveLength(12);
    expect(ids).not.toContain(chosen.item_id);
    expect(ids).not.toContain(second?.item.item_id);
  });
});
