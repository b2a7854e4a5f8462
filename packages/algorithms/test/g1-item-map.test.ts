import { describe, expect, test } from 'vitest';
import { decodeModel, encodeModel, fitModel, type G1Model, G1Scorer } from '../src/g1/index.ts';
import { featureEncoder, learnFeatures, maxItemFeatures, noValue } from '../src/g1/items/features.ts';
import { fitRows } from '../src/g1/items/fit-map.ts';
import { mapWeight, readItems } from '../src/g1/items/item-map.ts';
import type { MapParameters } from '../src/g1/items/map.ts';
import {
  InteractionsBuilder,
  type LateEvidence,
  ModelFileError,
  sequential,
  type User,
} from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import {
  fileOf,
  incidenceOf,
  lateOf,
  namesOf,
  syntheticAttributes,
  syntheticEvents,
  syntheticValues,
  tastes,
  userOf,
} from './synthetic-data.ts';

const knownItems = 80;
/** Items without events follow those with events: two per taste. */
const items = knownItems + 2 * tastes;

const itemAttributes = syntheticAttributes(items);
const events = {
  ...syntheticEvents({ users: 300, items: knownItems, perUser: 12, ordered: true }),
  items,
};
const map: MapParameters = { mu: 5, known: 1, knownEvents: 10, fresh: 1.5, freshEvents: 3 };
const model = fitModel({ events, itemAttributes }, sequential, { map });

/** By place, the histories of the users who took the late item; none if nobody did. */
function evidenceOf(scorer: G1Scorer, taken: readonly (readonly Uint32Array[])[]): LateEvidence {
  const places = [...taken.keys()].filter((place) => taken[place]!.length > 0);
  const weighed = places.map((place) => scorer.weighHistories!(taken[place]!, taken[place]!.length));
  const offsets = new Uint32Array(places.length + 1);
  for (const [index, { item }] of weighed.entries()) offsets[index + 1] = offsets[index]! + item.length;
  return {
    place: Uint32Array.from(places),
    events: Uint32Array.from(weighed, ({ events: count }) => count),
    offsets,
    item: Uint32Array.from(weighed.flatMap(({ item }) => [...item])),
    weight: Float32Array.from(weighed.flatMap(({ weight }) => [...weight])),
  };
}

const histories = {
  'of one taste': userOf([1, 5, 9]),
  'of two tastes': userOf([1, 2, 5, 30]),
  'without events': userOf([]),
};

describe('features', () => {
  test('are a constant, the values and the pairs that at least five known items have', () => {
    const rows = [
      ...Array.from({ length: 5 }, () => [0, 1]),
      ...Array.from({ length: 4 }, () => [1, 2]),
      ...Array.from({ length: 9 }, () => [3]),
    ];
    const isKnown = Uint8Array.from(rows, (_, item) => (item < 14 ? 1 : 0));
    const features = learnFeatures(incidenceOf(rows, 4), isKnown);
    const list = Array.from(features.first, (one, place) => [one, features.second[place]]);
    expect(list).toEqual([
      [noValue, noValue],
      [1, noValue],
      [0, noValue],
      [3, noValue],
      [1, 0],
    ]);
    const encode = featureEncoder(features);
    expect(encode([0, 1, 2])).toEqual([0, 1, 2, 4]);
    expect(encode([3, 3])).toEqual([0, 3]);
    expect(encode([])).toEqual([]);
  });

  test('are limited per item, the most held ones first', () => {
    const many = Array.from({ length: 100 }, (_, value) => value);
    const rows = [...Array.from({ length: 6 }, () => many), ...Array.from({ length: 6 }, () => [99])];
    const features = learnFeatures(incidenceOf(rows, 100), new Uint8Array(rows.length).fill(1));
    const own = featureEncoder(features)(many);
    expect(own).toEqual(Array.from({ length: maxItemFeatures }, (_, feature) => feature));
    expect(features.first[1]).toBe(99);
  });
});

describe('the map', () => {
  test('comes within 1 % of a dense ridge regression in what it minimizes', async () => {
    const source = (await readItems(events, itemAttributes, sequential))!;
    const trained = await model;
    const { features, phi, gram, isKnown } = source;
    const rows = await fitRows(source, trained, map.mu, sequential);
    for (const row of [0, 7, 33, items - 1]) {
      const wanted = new Float64Array(items);
      for (let place = trained.offsets[row]!; place < trained.offsets[row + 1]!; place++)
        wanted[trained.target[place]!] = trained.rowScale[row]! * trained.value[place]!;
      if (isKnown[row] === 1) wanted[row]! += 0.2;
      const product = new Float64Array(features.count);
      for (let item = 0; item < items; item++)
        for (const feature of phi.column.subarray(phi.offsets[item], phi.offsets[item + 1]))
          if (isKnown[item] === 1) product[feature]! += wanted[item]!;
      const cost = (weight: Float64Array) => {
        let sum = weight.reduce((total, one) => total + map.mu * one ** 2, 0);
        for (let item = 0; item < items; item++) {
          const own = phi.column.subarray(phi.offsets[item], phi.offsets[item + 1]);
          if (isKnown[item] === 1)
            sum += (wanted[item]! - own.reduce((total, feature) => total + weight[feature]!, 0)) ** 2;
        }
        return sum;
      };
      const sparse = new Float64Array(features.count);
      for (let place = rows.offsets[row]!; place < rows.offsets[row + 1]!; place++)
        sparse[rows.feature[place]!] = rows.scale[row]! * rows.value[place]!;
      const dense = solve(gram, product, map.mu);
      expect(cost(sparse)).toBeGreaterThanOrEqual(cost(dense) * (1 - 1e-6));
      expect(cost(sparse)).toBeLessThanOrEqual(cost(dense) * 1.01);
    }
  });

  test('is the same on any number of threads', async () => {
    const executor = startThreads(3);
    const other = await fitModel({ events, itemAttributes }, executor, { map });
    await executor.close();
    expect(other.map).toBeDefined();
    expect(fileOf(other).equals(fileOf(await model))).toBe(true);
  });

  test('counts fully for an item without events, and ever less with more events', () => {
    expect(mapWeight(map, 0)).toBeCloseTo(map.fresh, 12);
    const weights = [0, 1, 3, 10, 100, 1e6].map((count) => mapWeight(map, count));
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(weights.at(-1)).toBeCloseTo(0, 4);
  });

  test('round-trips through the file, with the same recommendations', async () => {
    const file = fileOf(await model);
    const read = decodeModel(file);
    expect(read.model.map).toEqual((await model).map);
    expect(fileOf(read.model, read.catalogue).equals(file)).toBe(true);
    for (const user of Object.values(histories))
      expect(new G1Scorer(read.model).recommend(user, { n: 50 })).toEqual(
        new G1Scorer(await model).recommend(user, { n: 50 }),
      );
  });

  const flaws: [string, (of: NonNullable<G1Model['map']>) => NonNullable<G1Model['map']>][] = [
    ['features of another item', (of) => ({ ...of, events: of.events.subarray(1) })],
    [
      'a feature that is not there',
      (of) => ({ ...of, phi: { ...of.phi, column: of.phi.column.map(() => 99) } }),
    ],
    ['rows that end early', (of) => ({ ...of, rows: { ...of.rows, scale: of.rows.scale.subarray(1) } })],
    ['an item that is not there', (of) => ({ ...of, few: Uint32Array.of(items) })],
    ['no features', (of) => ({ ...of, features: { ...of.features, first: new Uint32Array() } })],
  ];
  test.each(flaws)('is not written with %s', async (_, flaw) => {
    const of = await model;
    expect(() => encodeModel({ ...of, map: flaw(of.map!) }, namesOf(of))).toThrow(ModelFileError);
  });
});

describe('items without events', () => {
  test('are scored for every user before those with few, of which there is a limit', async () => {
    const [popular, rare, fresh] = [20, 2100, 30];
    // Each user has three popular items and one of their own. Popular items have the value 0, those without events the value 1.
    const builder = new InteractionsBuilder();
    for (let user = 0; user < rare; user++)
      for (const [place, item] of [0, 7, 13, popular].entries())
        builder.push(user, item === popular ? popular + user : (item + user) % popular, 0, 1, place);
    const all = popular + rare + fresh;
    const attributes = incidenceOf(
      Array.from({ length: all }, (_, item) => [
        item < popular + rare ? (item % 2 && item >= popular ? 1 : 0) : 1,
      ]),
      2,
    );
    const trained = await fitModel(
      { events: builder.build({ ordered: false, items: all }), itemAttributes: attributes },
      sequential,
      { map, k: 20 },
    );
    const { few } = trained.map!;
    expect(few.length).toBe(2048);
    expect(few.filter((item) => item >= popular + rare).length).toBe(fresh);
    expect(few.every((item) => item >= popular)).toBe(true);
  });

  test('of the taste of a user come before those of other tastes', async () => {
    const scorer = new G1Scorer(await model);
    const isKnown = (item: number) => item < knownItems;
    const list = scorer.recommend(histories['of one taste'], { n: 8, masked: isKnown });
    expect(list.map(({ item }) => item % tastes).slice(0, 2)).toEqual([1, 1]);
    expect(list.slice(0, 2).every(({ isFilled }) => !isFilled)).toBe(true);
  });

  test('have the same score if they were added after the training', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(
      scorer,
      Array.from({ length: 2 * tastes }, (_, place) => syntheticValues(knownItems + place)),
    );
    for (const user of Object.values(histories)) {
      const list = scorer.recommend(user, { n: 2 * items, late });
      const scoreOf = (item: number) => {
        const { score, isFilled } = list.find((one) => one.item === item)!;
        return isFilled ? 0 : score;
      };
      for (let place = 0; place < late.count; place++)
        expect(scoreOf(items + place)).toBe(scoreOf(knownItems + place));
    }
  });

  test('that were added later are each in one of consecutive lists, in the order of one long list', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[0], [1], [], [2, 5], [1, 4], [999]]);
    const boost = { factorOf: (item: number) => (item % 5 === 0 ? 2 : 1), maxFactor: 2 };
    for (const user of Object.values(histories))
      for (const options of [{ late }, { late, boost }]) {
        const whole = scorer.recommend(user, { n: 2 * items, ...options });
        expect(whole.map(({ item }) => item).filter((item) => item >= items).length).toBe(late.count);
        const pieces: typeof whole = [];
        for (;;) {
          const next = scorer.recommend(user, { n: 3, ...options, after: pieces.at(-1) });
          pieces.push(...next);
          if (next.length < 3) break;
        }
        expect(pieces).toEqual(whole);
        const masked = (item: number) => item === items + 1;
        const without = scorer.recommend(user, { n: 2 * items, ...options, masked });
        expect(without).toEqual(whole.filter(({ item }) => item !== items + 1));
      }
  });

  test('are explained by terms that add up to the score, as all items are', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[1, 4], [2]]);
    for (const user of Object.values(histories)) {
      const list = scorer.recommend(user, { n: 2 * items, late }).filter(({ isFilled }) => !isFilled);
      expect(list.length).toBeGreaterThan(20);
      for (const { item, score } of list) {
        const parts = scorer.explain({ ...user }, item, late);
        expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(score, 9);
      }
    }
    const [first] = scorer.explain(histories['of one taste'], items, late);
    expect(first).toMatchObject({ kind: 'item', index: 9 });
  });

  test('that users of a taste took come before others, for users of that taste, and more so with more users', async () => {
    const scorer = new G1Scorer(await model);
    const takers = Array.from({ length: 8 }, (_, place) => Uint32Array.of(2 + 4 * place, 6 + 4 * place, 62));
    const scoreOf = (taken: readonly (readonly Uint32Array[])[], user: User, place = 0) => {
      const late = { ...lateOf(scorer, [[], [], [1]]), evidence: evidenceOf(scorer, taken) };
      const list = scorer.recommend(user, { n: 2 * items, late });
      const { score, isFilled } = list.find(({ item }) => item === items + place)!;
      return isFilled ? 0 : score;
    };
    const alike = userOf([2, 10, 30]);
    const unlike = userOf([1, 5, 9]);
    expect(scoreOf([[]], alike)).toBe(0);
    const [one, eight] = [scoreOf([takers.slice(0, 1)], alike), scoreOf([takers], alike)];
    expect(one).toBeGreaterThan(0);
    expect(eight).toBeGreaterThan(one);
    expect(eight).toBeGreaterThan(2 * scoreOf([takers], unlike));
    // Attributes of another taste count less, but still.
    const none: Uint32Array[] = [];
    const byAttributes = scoreOf([none, none, none], unlike, 2);
    const byBoth = scoreOf([none, none, takers], unlike, 2);
    expect(byBoth).toBeGreaterThan(0);
    expect(byBoth).toBeLessThan(byAttributes);
  });

  test('that users took are explained by terms that add up to the score', async () => {
    const scorer = new G1Scorer(await model);
    const taken = [[Uint32Array.of(2, 6, 30), Uint32Array.of(2, 9)], [], [Uint32Array.of(5, 9, 30)]];
    const late = { ...lateOf(scorer, [[1, 4], [2], []]), evidence: evidenceOf(scorer, taken) };
    const before = scorer.recommend(histories['of two tastes'], { n: items });
    for (const user of Object.values(histories)) {
      const list = scorer.recommend(user, { n: 2 * items, late });
      for (const { item, score, isFilled } of list) {
        if (isFilled || item < items) continue;
        const parts = scorer.explain({ ...user }, item, late);
        expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(score, 9);
      }
    }
    // Evidence of late items leaves no trace in other scores.
    expect(scorer.recommend(histories['of two tastes'], { n: items })).toEqual(before);
    const [first] = scorer
      .explain(histories['of one taste'], items + 2, late)
      .sort((a, b) => b.amount - a.amount);
    expect([5, 9]).toContain(first?.index);
  });

  test('are among the similar items of an item that shares their values, and are explained by it', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[1], [2], []]);
    const user = { ...userOf([]), anchors: [5, 9] };
    const list = scorer.recommend(user, { n: 2 * items, late, masked: (item) => item < items });
    expect(list.map(({ item, isFilled }) => [item, isFilled])).toContainEqual([items, false]);
    expect(list[0]?.item).toBe(items);
    const parts = scorer.explain(user, items, late);
    expect(parts.map(({ index }) => index).sort()).toEqual([5, 9]);
    expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBe(list[0]?.score);
    // Late items change nothing about the others.
    const isKnown = ({ item }: { item: number }) => item < items;
    expect(scorer.recommend(user, { n: 2 * items, late }).filter(isKnown)).toEqual(
      scorer.recommend(user, { n: 2 * items }),
    );
  });

  test('have similar items by their values', async () => {
    const scorer = new G1Scorer(await model);
    const late = lateOf(scorer, [[2], [3]]);
    const lateAnchors = [scorer.featuresOf!([2])];
    const user = { ...userOf([]), anchors: [], lateAnchors };
    const list = scorer.recommend(user, { n: 2 * items, late });
    const known = list.filter(({ item }) => item < items).slice(0, 10);
    expect(known.map(({ item }) => item % tastes)).toEqual(Array.from({ length: 10 }, () => 2));
    expect(list.find(({ item }) => item === items)?.isFilled).toBe(false);
    for (const { item, score } of list.filter(({ isFilled }) => !isFilled)) {
      const parts = scorer.explain(user, item, late);
      expect(parts.map(({ kind, index }) => [kind, index])).toEqual([['item', items]]);
      expect(parts[0]?.amount).toBeCloseTo(score, 12);
    }
    // A basket of an item of each kind has items of both tastes.
    const basket = scorer.recommend({ ...user, anchors: [1] }, { n: 20 });
    expect(new Set(basket.map(({ item }) => item % tastes))).toEqual(new Set([1, 2]));
  });

  test('have the same score in a list of all items and among given ones', async () => {
    const scorer = new G1Scorer(await model);
    const taken = [[], [Uint32Array.of(1, 5)]];
    const late = { ...lateOf(scorer, [[1], [2], []]), evidence: evidenceOf(scorer, taken) };
    const among = [3, items, 60, items + 1, items + 2, 41, items + 3];
    for (const user of Object.values(histories)) {
      const options = { late, keepSeen: true, keepDisliked: true };
      const whole = scorer.recommend(user, { n: 2 * items, ...options });
      const listed = scorer.recommend(user, { n: 2 * items, ...options, among });
      expect(listed).toEqual(whole.filter(({ item }) => among.includes(item)));
      expect(listed.length).toBe(among.length - 1);
    }
  });

  test('cannot be placed by a model without item attributes', async () => {
    const scorer = new G1Scorer(await fitModel({ events }, sequential));
    expect(scorer.featuresOf).toBeUndefined();
    const late = { count: 1, offsets: Uint32Array.of(0, 1), feature: Uint32Array.of(0) };
    const user = histories['of one taste'];
    expect(scorer.recommend(user, { n: 200, late })).toEqual(scorer.recommend(user, { n: 200 }));
  });
});

/** (gram + mu I) x = product, by Gaussian elimination. */
function solve(gram: Float32Array, product: Float64Array, mu: number): Float64Array {
  const n = product.length;
  const rows = Array.from({ length: n }, (_, row) =>
    Float64Array.from({ length: n + 1 }, (__, column) =>
      column === n ? product[row]! : gram[row * n + column]! + (row === column ? mu : 0),
    ),
  );
  for (let pivot = 0; pivot < n; pivot++)
    for (let row = 0; row < n; row++) {
      if (row === pivot) continue;
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!;
      for (let column = pivot; column <= n; column++) rows[row]![column]! -= factor * rows[pivot]![column]!;
    }
  return Float64Array.from(rows, (row, place) => row[n]! / row[place]!);
}
