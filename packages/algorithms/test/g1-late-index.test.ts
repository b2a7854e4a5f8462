import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitModel, G1Scorer } from '../src/g1/index.ts';
import { LateIndex } from '../src/g1/items/late-index.ts';
import { type LateItems, seededRandom, sequential } from '../src/index.ts';
import { lateOf, syntheticAttributes, syntheticEvents, tastes, userOf } from './synthetic-data.ts';

const features = 12;

/** Feature 0 is the constant, which every item with features has. */
function lateItems(lists: readonly (readonly number[])[]): LateItems {
  const full = lists.map((list) => (list.length > 0 ? [0, ...list] : []));
  const offsets = new Uint32Array(full.length + 1);
  for (const [place, list] of full.entries()) offsets[place + 1] = offsets[place]! + list.length;
  return { count: full.length, offsets, feature: Uint32Array.from(full.flat()) };
}

describe('the index of late items', () => {
  test('finds every item that reaches a sum, each once, or says that it would look at most of them', () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    const list = fc.uniqueArray(fc.integer({ min: 1, max: features - 1 }), { maxLength: 5 });
    const lists = fc.array(list, { maxLength: 40 });
    const sums = fc.array(value, { minLength: features, maxLength: features });
    const least = fc.double({ min: -1, max: 3, noNaN: true });
    fc.assert(
      fc.property(lists, sums, least, fc.nat({ max: 3 }), (of, byFeature, needed, step) => {
        const late = lateItems(of);
        const index = new LateIndex(late, features);
        const without = Uint32Array.from(of.keys()).filter((place) => step > 0 && place % (step + 1) === 0);
        const found: number[] = [];
        const isDone = index.visitAtLeast(needed, Float64Array.from(byFeature), without, (place) =>
          found.push(place),
        );
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((place) => without.includes(place))).toEqual([]);
        if (!isDone) {
          expect(found).toEqual([]);
          return;
        }
        const sumOf = (own: readonly number[]) =>
          own.length === 0 ? 0 : own.reduce((sum, one) => sum + byFeature[one]!, byFeature[0]!);
        const reaching = [...of.keys()].filter(
          (place) => of[place]!.length > 0 && !without.includes(place) && sumOf(of[place]!) > needed + 1e-9,
        );
        expect(reaching.filter((place) => !found.includes(place))).toEqual([]);
      }),
    );
  });

  test('looks at few items if few features matter', () => {
    const late = lateItems(Array.from({ length: 1000 }, (_, place) => [1 + (place % 10)]));
    const sums = new Float64Array(features).fill(0.1);
    sums[3] = 1;
    const found: number[] = [];
    const visit = (place: number) => found.push(place);
    expect(new LateIndex(late, features).visitAtLeast(0.5, sums, new Uint32Array(), visit)).toBe(true);
    expect(found.length).toBe(100);
  });
});

test('a short list is the beginning of a long one, with any number of late items', async () => {
  const items = 80;
  const events = syntheticEvents({ users: 300, items, perUser: 12, ordered: true });
  const map = { mu: 5, known: 1, knownEvents: 10, fresh: 1.5, freshEvents: 3 };
  const itemAttributes = syntheticAttributes(items);
  const model = await fitModel({ events, itemAttributes }, sequential, { map });
  const scorer = new G1Scorer(model);
  const random = seededRandom(5);
  const values = Array.from({ length: 400 }, () => [
    Math.floor(random() * tastes),
    Math.floor(random() * itemAttributes.columns),
  ]);
  const late = lateOf(scorer, values);
  const boost = { factorOf: (item: number) => (item % 3 === 0 ? 2 : 1), maxFactor: 2 };
  const masked = (item: number) => item % 7 === 0;
  let hasLate = false;
  for (const history of [[1, 5, 9], [1, 2, 5, 30], [7], []])
    for (const options of [{ late }, { late, boost }, { late, masked }]) {
      const long = scorer.recommend(userOf(history), { ...options, n: items + late.count });
      for (const n of [1, 5, 20]) {
        const short = scorer.recommend(userOf(history), { ...options, n });
        expect(short).toEqual(long.slice(0, n));
        hasLate ||= short.some(({ item }) => item >= items);
      }
    }
  expect(hasLate).toBe(true);
});
