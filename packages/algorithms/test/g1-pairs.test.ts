import { describe, expect, test } from 'vitest';
import { findPairs } from '../src/g1/fit/find-pairs.ts';
import { targetsPerPair } from '../src/g1/fit/pair-targets.ts';
import { decodeModel, fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { type Executor, ModelFileError, seededRandom, sequential } from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import { eventsOf, fileOf, syntheticEvents, userOf } from './synthetic-data.ts';

/** What follows depends on two items together, and on neither alone: 10 + (i + j) % 4 comes after i and then 4 + j. */
const following = (first: number, second: number) => 10 + ((first + second) % 4);

function planted(users: number) {
  const random = seededRandom(7);
  const any = () => 20 + Math.floor(random() * 20);
  return Array.from({ length: users }, (_, user) => {
    const [first, second] = [user % 4, Math.floor(user / 4) % 4];
    return [any(), any(), any(), first, 4 + second, following(first, second)];
  });
}

const items = 40;
const events = eventsOf(planted(400), { items, ordered: true });
const given = { pairs: 0.4, transitions: 0.5, recency: 1 };

const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

describe('pairs of items', () => {
  test('tell what follows two items, where neither of them does', async () => {
    const scorer = new G1Scorer(await fitModel({ events }, sequential, { ...given, transitions: 1 }));
    for (const first of [0, 1, 2, 3])
      for (const second of [0, 1, 2, 3])
        expect(scorer.recommend(userOf([25, first, 4 + second]), { n: 1 })[0]?.item).toBe(
          following(first, second),
        );
  });

  test('need the order in which the items came', async () => {
    const scorer = new G1Scorer(await fitModel({ events }, sequential, { ...given, pairs: 5 }));
    const scoreOf = (list: readonly number[]) =>
      scorer.recommend(userOf(list), { n: items }).find(({ item }) => item === following(2, 1))!.score;
    expect(scoreOf([2, 5])).toBeGreaterThan(2 * scoreOf([5, 2]));
  });

  test('are chosen if the held-out events show that they help', async () => {
    // Half of the users go on, so that what follows the pairs is not held out everywhere.
    const lists = planted(800).map((list, user) => (user % 32 < 16 ? list : [...list, 20 + (user % 20)]));
    const data = { events: eventsOf(lists, { items, ordered: true }) };
    const trained = await train(data, sequential, {
      holdOut: 'last',
      given: { lambda: 100, c: 3, beta: 0.3 },
    });
    expect(trained.parameters.pairs).toBeGreaterThan(0);
    expect(trained.model.pairs?.earlier.length).toBeGreaterThan(3);
  });

  test('are left out if the order says nothing', async () => {
    const data = { events: syntheticEvents({ users: 300, items: 60, perUser: 12, ordered: true }) };
    const { parameters, model } = await train(data, sequential, { given: { lambda: 100, c: 3, beta: 0.3 } });
    expect(parameters.pairs).toBe(0);
    expect(model.pairs).toBeUndefined();
  });

  test.each([
    ['alone', {}],
    ['with a low-rank part', { rank: 8, lowRankWeight: 0.4 }],
  ])('are in the reasons, one per item, which add up to the score: %s', async (_, more) => {
    const scorer = new G1Scorer(await fitModel({ events }, sequential, { ...given, ...more }));
    const user = userOf([25, 30, 3, 4]);
    const list = scorer.recommend(user, { n: items }).filter(({ isFilled }) => !isFilled);
    expect(list[0]?.item).toBe(following(3, 0));
    for (const { item, score } of list) {
      const parts = scorer.explain(user, item);
      expect(sumOf(parts)).toBe(score);
      expect(new Set(parts.map(({ index }) => index)).size).toBe(parts.length);
    }
    const reasons = scorer.explain(user, following(3, 0)).toSorted((a, b) => b.amount - a.amount);
    expect(reasons[0]).toMatchObject({ kind: 'item', index: 4 });
  });

  test('are stored in the file of the model', async () => {
    const model = await fitModel({ events }, sequential, given);
    const read = decodeModel(fileOf(model)).model;
    expect(read.pairs).toEqual(model.pairs);
    const list = (of: typeof model) => new G1Scorer(of).recommend(userOf([25, 2, 4]), { n: 10 });
    expect(list(read)).toEqual(list(model));
    const { offsets, earlier } = model.pairs!;
    for (const pairs of [
      { offsets, earlier: earlier.map(() => items) },
      { offsets: offsets.subarray(1), earlier },
      { offsets, earlier: earlier.subarray(1) },
      { offsets: offsets.with(1, 1e6), earlier },
    ])
      expect(() => fileOf({ ...model, pairs })).toThrow(ModelFileError);
  });

  test('give the same model on any threads', async () => {
    const data = { events: syntheticEvents({ users: 400, items: 60, perUser: 20, ordered: true }) };
    const threads = startThreads(2);
    const [one, other] = [await fitModel(data, sequential, given), await fitModel(data, threads, given)];
    await threads.close();
    expect(one.pairs!.earlier.length).toBeGreaterThan(100);
    expect(fileOf(other).equals(fileOf(one))).toBe(true);
  });

  test('have the counts of a plain computation', async () => {
    const lists = planted(60).map((list, user) => [...list, ...planted(80)[user]!]);
    const found = await findPairs(eventsOf(lists, { items, ordered: true }), blocks);
    expect(readable(found)).toEqual(reference(lists));
  });
});

/** One element at a time, in reverse. */
const blocks: Executor = {
  run: (kernel, input, count) => {
    const run = kernel.prepare(input);
    for (let element = count - 1; element >= 0; element--) run(element, element + 1);
    return Promise.resolve();
  },
};

type Rows = Record<string, Record<number, number>>;

function readable({ offsets, earlier, count, target, weight }: Awaited<ReturnType<typeof findPairs>>): Rows {
  const rows: Rows = {};
  for (let later = 0; later < items; later++)
    for (let pair = offsets[later]!; pair < offsets[later + 1]!; pair++) {
      const first = pair * targetsPerPair;
      const places = Array.from({ length: count[pair]! }, (_, place) => first + place);
      rows[`${earlier[pair]} ${later}`] = Object.fromEntries(
        places.map((place) => [target[place]!, Number(weight[place]!.toFixed(5))]),
      );
    }
  return rows;
}

/** By definition: five occurrences, five events apart, ten events ahead, the 30 largest. */
function reference(lists: readonly (readonly number[])[]): Rows {
  const times = new Map<string, number>();
  const sums = new Map<string, Map<number, number>>();
  const incoming = new Map<number, number>();
  const add = <Key>(to: Map<Key, number>, key: Key, amount: number) =>
    to.set(key, (to.get(key) ?? 0) + amount);
  for (const list of lists)
    for (const [place, later] of list.entries()) {
      for (let gap = 1; gap <= 10 && place - gap >= 0; gap++) add(incoming, later, 1 / gap);
      if (place === list.length - 1) continue;
      for (let apart = 1; apart <= 5 && apart <= place; apart++) {
        const earlier = list[place - apart]!;
        if (earlier === later) continue;
        const key = `${earlier} ${later}`;
        add(times, key, 1);
        const row = sums.get(key) ?? new Map<number, number>();
        sums.set(key, row);
        for (let gap = 1; gap <= 10 && place + gap < list.length; gap++)
          if (list[place + gap] !== later) add(row, list[place + gap]!, 1 / apart / gap);
      }
    }
  const rows: Rows = {};
  for (const [key, row] of sums) {
    if (times.get(key)! < 5) continue;
    const total = [...row.values()].reduce((sum, one) => sum + one, 0);
    const scored = [...row].map(
      ([item, sum]) => [item, (sum / (total + 10)) * ((incoming.get(item) ?? 0) + 1) ** -0.1] as const,
    );
    const kept = scored.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, targetsPerPair);
    rows[key] = Object.fromEntries(kept.map(([item, score]) => [item, Number(score.toFixed(5))]));
  }
  return rows;
}
