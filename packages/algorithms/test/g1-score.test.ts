import { describe, expect, test } from 'vitest';
import { Fitter, signalsOf } from '../src/g1/fit/fitter.ts';
import { makeScorer } from '../src/g1/fit/scorer.ts';
import { fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { defaults } from '../src/g1/parameters.ts';
import { evaluate } from '../src/g1/search/evaluate.ts';
import { ask } from '../src/g1/search/questions.ts';
import { InteractionsBuilder, ndcg, sequential, similaritySteps } from '../src/index.ts';
import { eventsOf, syntheticEvents, userOf } from './synthetic-data.ts';

describe('a score', () => {
  const events = syntheticEvents({ users: 200, items: 60, perUser: 10, ordered: true });
  const model = fitModel({ events }, sequential);

  test('is the sum of its parts, to the last bit', async () => {
    const scorer = new G1Scorer(await model);
    const user = userOf([1, 5, 9, 2]);
    const list = scorer.recommend(user, { n: 10 });
    expect(list).toHaveLength(10);
    for (const { item, score } of list)
      expect(scorer.explain(user, item).reduce((sum, { amount }) => sum + amount, 0)).toBe(score);
  });

  test('exists for users and items that the training did not see', async () => {
    const scorer = new G1Scorer(await model);
    expect(scorer.recommend(userOf([4, 8, 10_000]), { n: 5 })).toHaveLength(5);
  });

  test('never recommends an item with a target event, or a masked item', async () => {
    const scorer = new G1Scorer(await model);
    const items = scorer
      .recommend(userOf([4, 8]), { n: 60, masked: (item) => item % 3 === 0 })
      .map(({ item }) => item);
    expect(items).not.toContain(4);
    expect(items).not.toContain(8);
    expect(items.every((item) => item % 3 !== 0)).toBe(true);
    expect(new Set(items).size).toBe(items.length);
  });

  test('descends from first to last in a list that popularity fills up', async () => {
    const list = new G1Scorer(await model).recommend(userOf([4]), { n: 59 });
    expect(list).toHaveLength(59);
    for (let place = 1; place < list.length; place++)
      expect(list[place]!.score).toBeLessThanOrEqual(list[place - 1]!.score);
  });

  test('does not change after another user was scored', async () => {
    const scorer = new G1Scorer(await model);
    const before = scorer.recommend(userOf([4, 8]), { n: 20 });
    scorer.recommend(userOf([1, 2, 3]), { n: 20 });
    expect(scorer.recommend(userOf([4, 8]), { n: 20 })).toEqual(before);
  });
});

describe('similarities', () => {
  const events = syntheticEvents({ users: 200, items: 60, perUser: 10, ordered: true });
  const trained = fitModel({ events }, sequential);
  const numbers = Int32Array.from({ length: 60 }, (_, item) => item);

  test('are what an item is evidence for, relative to the most similar one', async () => {
    const { offsets, target, value, ...model } = await trained;
    const scorer = new G1Scorer(await trained);
    const matrix = scorer.similarities(numbers, numbers);
    const expected = new Uint8Array(60 * 60);
    for (let from = 0; from < model.items; from++)
      for (let entry = offsets[from]!; entry < offsets[from + 1]!; entry++) {
        expected[from * 60 + target[entry]!] = Math.max(0, value[entry]!);
      }
    expect(matrix).toEqual(expected);
    for (const item of [0, 7, 59])
      expect(Math.max(...matrix.subarray(item * 60, item * 60 + 60))).toBe(similaritySteps);
  });

  test('do not depend on which other items are compared, or on what was scored before', async () => {
    const scorer = new G1Scorer(await trained);
    const all = scorer.similarities(numbers, numbers);
    const rows = Int32Array.of(7, -1, 31);
    const columns = Int32Array.of(59, 3, -1, 31, 12);
    const before = scorer.recommend(userOf([4, 8]), { n: 20 });
    expect([...scorer.similarities(rows, columns)]).toEqual(
      [...rows].flatMap((row) =>
        [...columns].map((column) => (row < 0 || column < 0 ? 0 : all[row * 60 + column]!)),
      ),
    );
    expect(scorer.recommend(userOf([4, 8]), { n: 20 })).toEqual(before);
  });
});

describe('8-bit values', () => {
  test('rank items like the regression itself', async () => {
    const events = syntheticEvents({ users: 300, items: 100, perUser: 12 });
    const parameters = defaults(signalsOf({ events }));
    const fitter = new Fitter({ events }, parameters.k, sequential);
    const users = Array.from({ length: 300 }, (_, user) => user);
    const relevant = users.map((user) => Uint32Array.of((user * 7) % 100, (user * 13) % 100));
    const questions = ask(
      users,
      (user) => fitter.historyOf(user, parameters),
      (user) => relevant[user]!,
    );
    const exact = await evaluate(
      questions,
      makeScorer(await fitter.taste(parameters), undefined, parameters),
      sequential,
    );
    const scorer = new G1Scorer(await fitModel({ events }, sequential));
    let difference = 0;
    for (const user of users) {
      const history = [...events.item.subarray(events.offsets[user], events.offsets[user + 1])];
      const list = scorer.recommend(userOf(history), { n: 20 }).map(({ item }) => item);
      difference += ndcg(list, new Set(relevant[user]), 20) - exact.ndcg[user]!;
    }
    expect(Math.abs(difference / users.length)).toBeLessThan(0.002);
  });
});

describe('additional evidence', () => {
  test('an item in the cart is recommended if the target is a purchase', async () => {
    const builder = new InteractionsBuilder();
    for (let user = 0; user < 100; user++) {
      for (const item of [user % 20, (user + 1) % 20]) {
        builder.push(user, item, 1);
        builder.push(user, item, 0);
      }
      builder.push(user, (user + 10) % 20, 1);
    }
    const { model, parameters } = await train({ events: builder.build({ ordered: false }) }, sequential);
    expect(parameters.hints[1]).toBeGreaterThan(0);
    const [first] = new G1Scorer(model).recommend(userOf([3, 15], [], [0, 1]), { n: 3 });
    expect(first?.item).toBe(15);
  });

  test('a user with only an attribute gets what users with the same attribute like', async () => {
    const events = eventsOf(
      Array.from({ length: 80 }, (_, user) => (user % 2 ? [0, 1, 2, 8] : [4, 5, 6, 8])),
      { items: 9 },
    );
    const column = Uint32Array.from({ length: 80 }, (_, user) => user % 2);
    const offsets = Uint32Array.from({ length: 81 }, (_, user) => user);
    const userAttributes = { rows: 80, columns: 2, offsets, column };
    const scorer = new G1Scorer(await fitModel({ events, userAttributes }, sequential));
    const list = (value: number) =>
      scorer
        .recommend(userOf([], [value]), { n: 4 })
        .map(({ item }) => item)
        .sort();
    expect(list(1)).toEqual([0, 1, 2, 8]);
    expect(list(0)).toEqual([4, 5, 6, 8]);
  });

  test('an item without events can be recommended by its attributes', async () => {
    const events = eventsOf(
      Array.from({ length: 40 }, (_, user) => (user % 2 ? [0, 1, 2, 3, 4] : [6, 7, 8, 9, 10])),
      { items: 12 },
    );
    // Items 0 to 5 bear value 0, items 6 to 11 value 1; nobody had 5 or 11.
    const itemAttributes = {
      rows: 12,
      columns: 2,
      offsets: Uint32Array.from({ length: 13 }, (_, item) => item),
      column: Uint32Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1),
    };
    const scorer = new G1Scorer(await fitModel({ events, itemAttributes }, sequential));
    const masked = (item: number) => item !== 5 && item !== 11;
    expect(scorer.recommend(userOf([0, 1]), { n: 1, masked })[0]?.item).toBe(5);
    expect(scorer.recommend(userOf([6]), { n: 1, masked })[0]?.item).toBe(11);
  });

  test('the next item is recommended if the order is known', async () => {
    const lists = Array.from({ length: 60 }, (_, user) =>
      Array.from({ length: 6 }, (_, step) => (user + step) % 30),
    );
    const model = await fitModel({ events: eventsOf(lists, { ordered: true }) }, sequential);
    expect(new G1Scorer(model).recommend(userOf([10, 11, 12]), { n: 1 })[0]?.item).toBe(13);
  });
});
