import { describe, expect, test } from 'vitest';
import { holdOutNewest } from '../src/data/split.ts';
import {
  type AttributeCode,
  InteractionsBuilder,
  type Recommendation,
  sequential,
  type TrainingData,
} from '../src/index.ts';
import { popular } from '../src/popular/algorithm.ts';
import { groupBy } from '../src/popular/groups.ts';
import { byPopularity, fitPopular } from '../src/popular/model.ts';
import { PopularScorer } from '../src/popular/scorer.ts';
import { attributesOf, day, drifting } from './drifting.ts';
import { userOf } from './synthetic-data.ts';

const userCodes: AttributeCode[] = [
  { name: 'age', kind: 'NUMERICAL', edges: [30] },
  { name: 'country', kind: 'CATEGORICAL', values: ['de', 'fr'] },
];
const names = { eventTypes: ['buy', 'view'], targetEventType: 'buy', userCodes, itemCodes: [] };

const train = (data: TrainingData, parameters = {}) => popular.train(data, sequential, { parameters, names });

describe('popularity', () => {
  const builder = new InteractionsBuilder();
  builder.push(0, 0, 0, 3, 0);
  builder.push(0, 1, 0, 2, 10 * day);
  builder.push(1, 1, 1, 9, 20 * day);
  builder.push(1, 2, 0, 1, 20 * day);
  builder.push(2, 2, 0, -4, 20 * day);
  const events = builder.build({ ordered: true, items: 4, hasTimes: true });

  test('is the sum of the values of target events, which halve with each half-life', () => {
    expect([...fitPopular({ events }, 10, undefined).popularity]).toEqual([0.75, 1, 1, 0]);
    expect([...fitPopular({ events }, 36_500, undefined).popularity].map(Math.round)).toEqual([3, 2, 1, 0]);
  });

  test('of a group is shrunk toward overall popularity, less so with more events', () => {
    const attributes = attributesOf([0, 1, 1]);
    const model = fitPopular({ events }, 36_500, groupBy('country', userCodes, attributes));
    const scorer = new PopularScorer(model);
    const scores = (tokens: number[]) =>
      new Map(scorer.recommend(userOf([], tokens), { n: 4 }).map(({ item, score }) => [item, score]));
    const [everybody, french] = [scores([]), scores([3])];
    expect(french.get(2)).toBeGreaterThan(everybody.get(2)!);
    expect(french.get(0)).toBeLessThan(everybody.get(0)!);
    // One event of its own against a prior of a hundred.
    expect(french.get(0)).toBeCloseTo((everybody.get(0)! * 100) / 101, 2);
    const sum = (of: Map<number, number>) => [...of.values()].reduce((total, score) => total + score, 0);
    expect(sum(french)).toBeCloseTo(sum(everybody), 4);
  });

  test('lists of a group descend, contain every item once, and continue where they ended', () => {
    const { events: many, userAttributes } = drifting({ season: 10, tastes: true });
    const groups = groupBy('country', userCodes, userAttributes);
    const scorer = new PopularScorer(fitPopular({ events: many }, 7, groups));
    const user = userOf([3, 4], [2]);
    const all = scorer.recommend(user, { n: 300 });
    expect(new Set(all.map(({ item }) => item)).size).toBe(298);
    const found: Recommendation[] = [];
    for (let next = scorer.recommend(user, { n: 50 }); next.length > 0; ) {
      found.push(...next);
      next = scorer.recommend(user, { n: 50, after: next.at(-1) });
    }
    expect(found).toEqual(all);
  });

  test('looks neither at items that are not listed nor at those before a page', () => {
    const { events: many, userAttributes } = drifting({ season: 10, tastes: true });
    const model = fitPopular({ events: many }, 7, groupBy('country', userCodes, userAttributes));
    let reads = 0;
    const order = new Proxy([...byPopularity(model)], {
      get(target, name) {
        if (/^\d+$/.test(String(name))) reads++;
        return Reflect.get(target, name) as unknown;
      },
    });
    const scorer = new PopularScorer(model, order as unknown as Uint32Array);
    for (const user of [userOf([], []), userOf([], [2])]) {
      const all = scorer.recommend(user, { n: 300 });
      reads = 0;
      const among = all.slice(-10).map(({ item }) => item);
      expect(scorer.recommend(user, { n: 10, among })).toEqual(all.slice(-10));
      expect(reads).toBe(0);
      expect(scorer.recommend(user, { n: 5, after: all[200] })).toEqual(all.slice(201, 206));
      expect(reads).toBeLessThan(50);
    }
  });
});

describe('the held-out part', () => {
  test('is later than everything it is predicted from', () => {
    const { events } = drifting({ season: 10, tastes: false });
    const { split, heldOut } = holdOutNewest(events, 1);
    expect(heldOut).toBe('latest');
    const times = (out: number) => events.time!.filter((_, event) => split.heldOut[event] === out);
    expect(Math.max(...times(0))).toBeLessThan(Math.min(...times(1)));
    expect(times(1).length / events.item.length).toBeGreaterThan(0.05);
    expect(times(1).length / events.item.length).toBeLessThan(0.15);
  });

  test('is random if all events have the same time', async () => {
    const data = drifting({ season: 10, tastes: false });
    const time = data.events.time!.map(() => 5);
    const { report, parameters } = await train({ ...data, events: { ...data.events, time } });
    expect(report.heldOut).toBe('random');
    expect(parameters).toMatchObject({ half_life_days: 36_500 });
  });
});

describe('the search chooses', () => {
  test('a short half-life if popularity changes, which beats no decay', async () => {
    const { parameters, report } = await train(drifting({ season: 15, tastes: false }));
    expect((parameters as { half_life_days: number }).half_life_days).toBeLessThanOrEqual(7);
    expect(report.test.ndcg20.mean).toBeGreaterThan(report.popularity.ndcg20.high);
  });

  test('a long half-life if popularity is stable', async () => {
    const { parameters } = await train(drifting({ season: Infinity, tastes: false }));
    expect((parameters as { half_life_days: number }).half_life_days).toBeGreaterThanOrEqual(30);
  });

  test('an attribute only if users with different values prefer different items', async () => {
    const [apart, alike] = [true, false].map((tastes) => train(drifting({ season: Infinity, tastes })));
    expect((await apart!).parameters).toMatchObject({ by_attribute: 'country' });
    expect((await alike!).parameters).toMatchObject({ by_attribute: 'none' });
  });

  test('no attribute if the given one is unknown', async () => {
    const { parameters } = await train(drifting({ season: 10, tastes: true }), { by_attribute: 'city' });
    expect(parameters).toMatchObject({ by_attribute: 'none' });
  });
});

test('the predicted share of a value is its share of popularity, overall and in a group', async () => {
  const data = drifting({ season: Infinity, tastes: true });
  const { model } = await train(data, { half_life_days: 36_500, by_attribute: 'country' });
  const carried = Uint8Array.from({ length: 300 }, (_, item) => (item < 7 ? 1 : 0));
  const shares = model.shares({ events: data.events, userAttributes: data.userAttributes! }).of(carried);
  const scorer = model.scorer();
  for (const user of [0, 1]) {
    const list = scorer.recommend(userOf([], [2 + user]), { n: 300 });
    const sum = (some: readonly Recommendation[]) => some.reduce((total, { score }) => total + score, 0);
    expect(shares(user)).toBeCloseTo(sum(list.filter(({ item }) => item < 7)) / sum(list), 5);
  }
  expect(shares(0)).not.toBeCloseTo(shares(1)!, 1);
});
