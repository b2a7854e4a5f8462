import { describe, expect, test } from 'vitest';
import { noFactors } from '../src/g1/fit/stored-factors.ts';
import { fitModel, type G1Model, G1Scorer, train } from '../src/g1/index.ts';
import { sequential, type User } from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import { fileOf, syntheticData, syntheticEvents, userOf } from './synthetic-data.ts';

const items = 900;
const events = syntheticEvents({ users: 1500, items, perUser: 12 });
const model = fitModel({ events }, sequential, { k: 100, rank: 64, lowRankWeight: 0.4 });
const withoutPart = async (): Promise<G1Model> => ({ ...(await model), lowRank: noFactors });

const users: User[] = [[0], [3, 40, 77], [5, 9, 13, 21, 210, 400, 1, 2]].map((list) => userOf(list));
const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

describe('the low-rank part of a score', () => {
  test('changes the order of the 200 best items, and the score of no other', async () => {
    const user = users[2]!;
    const plain = new G1Scorer(await withoutPart()).recommend(user, { n: items });
    const scored = new G1Scorer(await model).recommend(user, { n: items });
    const ranked = plain.filter(({ isFilled }) => !isFilled);
    expect(ranked.length).toBeGreaterThan(250);
    const scoreOf = new Map(scored.map(({ item, score }) => [item, score]));
    const changed = ranked.filter(({ item, score }) => scoreOf.get(item) !== score).map(({ item }) => item);
    expect(changed.length).toBeGreaterThan(150);
    expect(changed.every((item) => ranked.slice(0, 200).some((one) => one.item === item))).toBe(true);
    expect(scored.slice(0, 20)).not.toEqual(plain.slice(0, 20));
    for (const [place, { score, isFilled }] of scored.slice(1).entries())
      if (!isFilled) expect(score).toBeLessThanOrEqual(scored[place]!.score);
  });

  test('is in the reasons, which add up to the score and name items of the history', async () => {
    const scorer = new G1Scorer(await model);
    for (const user of users) {
      const list = scorer.recommend(user, { n: items, keepSeen: true }).filter(({ isFilled }) => !isFilled);
      expect(list.length).toBeGreaterThan(30);
      for (const { item, score } of list) {
        const parts = scorer.explain(user, item);
        expect(sumOf(parts)).toBe(score);
        expect(parts.every(({ index, kind }) => kind === 'item' && user.events.item.includes(index))).toBe(
          true,
        );
      }
    }
  });

  test('is in the reasons beside hints and attribute values', async () => {
    const data = syntheticData();
    const types = { hints: [0, 1], visitorHints: [0, 1] };
    const small = await fitModel(data, sequential, {
      rank: 16,
      lowRankWeight: 0.5,
      transitions: 0.3,
      map: null,
      ...types,
    });
    const scorer = new G1Scorer(small);
    const user = userOf([3, 5, 8, 13], [1], [0, 1, 0, 1]);
    const list = scorer.recommend(user, { n: 60 }).filter(({ isFilled }) => !isFilled);
    const kinds = list.flatMap(({ item, score }) => {
      const parts = scorer.explain(user, item);
      expect(sumOf(parts)).toBe(score);
      return parts.map(({ kind }) => kind);
    });
    expect(new Set(kinds)).toEqual(new Set(['item', 'hint', 'attribute']));
  });

  test('depends on no mask and no page: consecutive pages never share an item', async () => {
    const scorer = new G1Scorer(await model);
    for (const user of users) {
      const all = scorer.recommend(user, { n: items });
      const pages: number[] = [];
      let after: (typeof all)[number] | undefined;
      for (let page = 0; pages.length < all.length; page++) {
        const list = scorer.recommend(user, { n: 37, after });
        // What another mask leaves out does not change the rest.
        const masked = (item: number) => item % 3 === page % 3;
        const rest = list.filter(({ item }) => !masked(item));
        expect(scorer.recommend(user, { n: 37, after, masked }).slice(0, rest.length)).toEqual(rest);
        pages.push(...list.map(({ item }) => item));
        after = list.at(-1);
      }
      expect(pages).toEqual(all.map(({ item }) => item));
      expect(new Set(pages).size).toBe(pages.length);
    }
  });

  test('is the same for given items, with or without those that the user has seen', async () => {
    const scorer = new G1Scorer(await model);
    for (const user of users) {
      const all = scorer.recommend(user, { n: items });
      const among = all.map(({ item }) => item);
      const kept = { keepSeen: true, keepDisliked: true };
      const listed = scorer.recommend(user, { n: items, among, ...kept });
      const ranked = all.filter(({ isFilled }) => !isFilled);
      expect(listed.filter(({ isFilled }) => !isFilled)).toEqual(ranked);
    }
  });

  test('is left out of similar items', async () => {
    const user = { ...users[1]!, anchors: [40] };
    expect(new G1Scorer(await model).recommend(user, { n: 50 })).toEqual(
      new G1Scorer(await withoutPart()).recommend(user, { n: 50 }),
    );
  });

  test('multiplies boosted scores too', async () => {
    const scorer = new G1Scorer(await model);
    const user = users[2]!;
    const boost = { factorOf: (item: number) => (item % 2 === 0 ? 2 : 1), maxFactor: 2 };
    const plain = new Map(scorer.recommend(user, { n: items }).map(({ item, score }) => [item, score]));
    for (const { item, score, isFilled } of scorer.recommend(user, { n: 100, boost }))
      if (!isFilled) expect(score).toBe(plain.get(item)! * boost.factorOf(item));
  });
});

describe('a search for the low-rank part', () => {
  const given = { lambda: 30, beta: 0.3, c: 3, a: 0 };
  const data = { events: syntheticEvents({ users: 700, items: 300, perUser: 14 }) };

  test('tries ranks and weights, keeps none that gains too little, and gives the same model on any threads', async () => {
    const trained = await train(data, sequential, { given });
    const steps = trained.tried.filter(({ step }) => step === 'low-rank part');
    expect(steps.map(({ parameters: { rank, lowRankWeight } }) => [rank, lowRankWeight])).toEqual([
      [0, 0],
      [64, 0.1],
      [64, 0.2],
      [64, 0.4],
      [64, 0.7],
    ]);
    const chosen = steps.find(
      ({ parameters: { rank, lowRankWeight } }) =>
        rank === trained.parameters.rank && lowRankWeight === trained.parameters.lowRankWeight,
    );
    expect(chosen?.ndcg20).toBeGreaterThanOrEqual(steps[0]!.ndcg20);
    expect(trained.model.lowRank.rank).toBe(trained.parameters.rank);
    const threads = startThreads(2);
    const again = await train(data, threads, { given });
    await threads.close();
    expect(fileOf(again.model).equals(fileOf(trained.model))).toBe(true);
  });
});
