import { describe, expect, test } from 'vitest';
import { noFactors } from '../src/g1/fit/stored-factors.ts';
import { decodeModel, fitModel, type G1Model, G1Scorer, train } from '../src/g1/index.ts';
import { type Part, type Recommendation, sequential } from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import {
  fileOf,
  lateOf,
  syntheticAttributes,
  syntheticEvents,
  syntheticValues,
  userOf,
} from './synthetic-data.ts';

const knownItems = 900;
/** Items without events follow those with events. */
const items = knownItems + 12;

const itemAttributes = syntheticAttributes(items);
const plain = syntheticEvents({ users: 1500, items: knownItems, perUser: 12, ordered: true });
/** Every seventh event is of a second type. */
const events = { ...plain, items, type: plain.type.map((_, event) => (event % 7 === 0 ? 1 : 0)) };
const given = {
  k: 100,
  rank: 64,
  lowRankWeight: 0.4,
  map: { mu: 20, known: 1, knownEvents: 50, fresh: 1.5, freshEvents: 3 },
  hints: [0, 0.5],
  visitorHints: [0, 0.5],
};
const model = fitModel({ events, itemAttributes }, sequential, given);
const without = async (part: 'low rank' | 'map'): Promise<G1Model> => {
  const { map, ...rest } = await model;
  return part === 'low rank' ? { ...rest, map: map!, lowRank: noFactors } : rest;
};

const users = {
  'with one item': userOf([0]),
  'with items of two types': userOf([5, 9, 13, 21, 210, 400, 1, 2], [], [0, 1, 0, 0, 0, 1, 0, 0]),
  'without events': userOf([]),
};

const sumOf = (parts: readonly Part[]) => parts.reduce((sum, { amount }) => sum + amount, 0);
const scoresOf = (list: readonly Recommendation[]) =>
  new Map(list.filter(({ isFilled }) => !isFilled).map(({ item, score }) => [item, score]));

describe('a score with a low-rank part and a map', () => {
  test('has both for the 200 best items by the weights, and what each adds is the same without the other', async () => {
    const both = await model;
    expect(both.lowRank.rank).toBe(64);
    expect(both.map).toBeDefined();
    const user = users['with items of two types'];
    const { map: _, ...bare } = { ...both, lowRank: noFactors };
    const listOf = (one: G1Model) => new G1Scorer(one).recommend(user, { n: items });
    const [byWeights, byBoth] = [listOf(bare), listOf(both)];
    const [base, full] = [scoresOf(byWeights), scoresOf(byBoth)];
    const [mapped, factored] = [
      scoresOf(listOf(await without('low rank'))),
      scoresOf(listOf(await without('map'))),
    ];
    const best = byWeights.filter(({ isFilled }) => !isFilled).slice(0, 200);
    expect(best.length).toBe(200);
    let together = 0;
    for (const { item } of best) {
      if (!full.has(item) || !mapped.has(item) || !factored.has(item)) continue;
      together++;
      const [own, map, factors] = [base, mapped, factored].map((scores) => scores.get(item)!);
      expect(map).not.toBe(own);
      expect(factors).not.toBe(own);
      expect(full.get(item)).toBeCloseTo(map! + factors! - own!, 8);
    }
    expect(together).toBeGreaterThan(150);
    const rest = byWeights.filter(({ isFilled }) => !isFilled).slice(200);
    const few = new Set(both.map!.few);
    expect(rest.length).toBeGreaterThan(20);
    for (const { item, score } of rest) expect(full.get(item) === score).toBe(!few.has(item));
  });

  test.each(Object.entries(users))('is the sum of its reasons, one per item: user %s', async (_, user) => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[1, 4], [2], [0, 6]]);
    const options = { n: 2 * items, late, keepSeen: true, keepDisliked: true };
    const list = scorer.recommend(user, options).filter(({ isFilled }) => !isFilled);
    expect(list.length).toBeGreaterThan(30);
    for (const { item, score } of list) {
      const parts = scorer.explain(user, item, late);
      expect(sumOf(parts)).toBe(score);
      expect(new Set(parts.map(({ kind, index }) => `${kind} ${index}`)).size).toBe(parts.length);
    }
  });

  test('of an item that was added later comes from the map alone, and is the same with and without factors', async () => {
    const both = new G1Scorer(await model);
    const mapOnly = new G1Scorer(await without('low rank'));
    const rows = Array.from({ length: items - knownItems }, (_, place) =>
      syntheticValues(knownItems + place),
    );
    const late = lateOf(both, rows);
    for (const user of Object.values(users)) {
      const listOf = (scorer: G1Scorer) => scorer.recommend(user, { n: 2 * items, late });
      const lists = { both: scoresOf(listOf(both)), mapOnly: scoresOf(listOf(mapOnly)) };
      for (const { score } of listOf(both)) expect(Number.isFinite(score)).toBe(true);
      for (let place = 0; place < late.count; place++) {
        const score = lists.both.get(items + place);
        expect(score).toBe(lists.mapOnly.get(items + place));
        // The same as if the training had known the item.
        expect(score).toBe(lists.both.get(knownItems + place));
        const parts = both.explain(user, items + place, late);
        for (const { amount } of parts) expect(Number.isFinite(amount)).toBe(true);
        if (score !== undefined) expect(sumOf(parts)).toBe(score);
      }
    }
    expect(scoresOf(both.recommend(users['with one item'], { n: 2 * items, late })).has(items)).toBe(true);
  });

  test('depends on no page, no mask, and not on whether seen items are shown', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[1, 4], [2], [], [0, 6]]);
    for (const user of Object.values(users)) {
      const all = scorer.recommend(user, { n: 2 * items, late });
      const pages: Recommendation[] = [];
      for (;;) {
        const next = scorer.recommend(user, { n: 47, late, after: pages.at(-1) });
        pages.push(...next);
        if (next.length < 47) break;
      }
      expect(pages).toEqual(all);
      const masked = (item: number) => item % 3 === 0;
      expect(scorer.recommend(user, { n: 2 * items, late, masked })).toEqual(
        all.filter(({ item }) => !masked(item)),
      );
      const shown = scoresOf(scorer.recommend(user, { n: 2 * items, late, keepSeen: true }));
      for (const [item, score] of scoresOf(all)) expect(shown.get(item)).toBe(score);
    }
  });

  test('is the same from a file', async () => {
    const file = fileOf(await model);
    const read = decodeModel(file);
    expect(fileOf(read.model, read.catalogue).equals(file)).toBe(true);
    for (const user of Object.values(users))
      expect(new G1Scorer(read.model).recommend(user, { n: 300 })).toEqual(
        new G1Scorer(await model).recommend(user, { n: 300 }),
      );
  });

  test('is trained to the same bytes on one thread and on three', async () => {
    const threads = startThreads(3);
    const other = await fitModel({ events, itemAttributes }, threads, given);
    await threads.close();
    expect(fileOf(other).equals(fileOf(await model))).toBe(true);
  });
});

describe('a search with item attributes', () => {
  const small = syntheticEvents({ users: 700, items: 300, perUser: 14, ordered: true });
  const attributes = syntheticAttributes(300);
  const fixed = { lambda: 30, beta: 0.3, c: 3, a: 0, transitions: 0, recency: 0 };

  test('tries low-rank parts beside the map, and chooses the same on one thread and on three', async () => {
    const data = { events: small, itemAttributes: attributes };
    const trained = await train(data, sequential, { given: fixed });
    const tried = trained.tried.filter(({ step }) => step === 'low-rank part');
    expect(tried.length).toBe(5);
    for (const { parameters } of tried) expect(parameters.map).toEqual(trained.parameters.map);
    expect(trained.parameters.map).not.toBeNull();
    const threads = startThreads(3);
    const again = await train(data, threads, { given: fixed });
    await threads.close();
    expect(again.parameters).toEqual(trained.parameters);
    expect(again.tried).toEqual(trained.tried);
    expect(fileOf(again.model).equals(fileOf(trained.model))).toBe(true);
  });
});
