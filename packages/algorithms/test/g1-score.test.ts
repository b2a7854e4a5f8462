import { describe, expect, test } from 'vitest';
import { ask, evaluate } from '../src/g1/evaluate.ts';
import { Fitter, signalsOf } from '../src/g1/fitter.ts';
import { defaults } from '../src/g1/parameters.ts';
import { makeScorer } from '../src/g1/scorer.ts';
import { fitModel, G1Scorer, InteractionsBuilder, ndcg, sequential, train } from '../src/index.ts';
import { eventsOf, madeEvents, userOf } from './made-data.ts';

describe('a score', () => {
  const events = madeEvents({ users: 200, items: 60, perUser: 10, ordered: true });
  const model = fitModel({ events }, sequential);

  test('is the sum of its parts, to the last bit', async () => {
    const scorer = new G1Scorer(await model);
    const user = userOf([1, 5, 9, 2]);
    const list = scorer.recommend(user, { n: 10 });
    expect(list).toHaveLength(10);
    for (const { item, score } of list)
      expect(scorer.explain(user, item).reduce((sum, { amount }) => sum + amount, 0)).toBe(score);
  });

  test('answers for users whom the training never saw, and for items it does not know', async () => {
    const scorer = new G1Scorer(await model);
    expect(scorer.recommend(userOf([4, 8, 10_000]), { n: 5 })).toHaveLength(5);
  });

  test('never recommends what the target event happened to, nor what is masked', async () => {
    const scorer = new G1Scorer(await model);
    const items = scorer
      .recommend(userOf([4, 8]), { n: 60, masked: (item) => item % 3 === 0 })
      .map(({ item }) => item);
    expect(items).not.toContain(4);
    expect(items).not.toContain(8);
    expect(items.every((item) => item % 3 !== 0)).toBe(true);
    expect(new Set(items).size).toBe(items.length);
  });

  test('falls from the first to the last of a list, which popularity fills', async () => {
    const list = new G1Scorer(await model).recommend(userOf([4]), { n: 59 });
    expect(list).toHaveLength(59);
    for (let place = 1; place < list.length; place++)
      expect(list[place]!.score).toBeLessThanOrEqual(list[place - 1]!.score);
  });

  test('is the same after another user was scored in between', async () => {
    const scorer = new G1Scorer(await model);
    const before = scorer.recommend(userOf([4, 8]), { n: 20 });
    scorer.recommend(userOf([1, 2, 3]), { n: 20 });
    expect(scorer.recommend(userOf([4, 8]), { n: 20 })).toEqual(before);
  });
});

describe('eight bits a value', () => {
  test('rank as the regression itself does', async () => {
    const events = madeEvents({ users: 300, items: 100, perUser: 12 });
    const parameters = defaults(signalsOf({ events }));
    const fitter = new Fitter({ events }, parameters.k, sequential);
    const users = Array.from({ length: 300 }, (_, user) => user);
    const wanted = users.map((user) => Uint32Array.of((user * 7) % 100, (user * 13) % 100));
    const questions = ask(
      users,
      (user) => fitter.historyOf(user, parameters),
      (user) => wanted[user]!,
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
      difference += ndcg(list, new Set(wanted[user]), 20) - exact.ndcg[user]!;
    }
    expect(Math.abs(difference / users.length)).toBeLessThan(0.002);
  });
});

describe('further evidence', () => {
  test('an item in the cart is recommended where the target is a purchase', async () => {
    const builder = new InteractionsBuilder();
    for (let user = 0; user < 100; user++) {
      for (const item of [user % 20, (user + 1) % 20]) {
        builder.push(user, item, 1);
        builder.push(user, item, 0);
      }
      builder.push(user, (user + 10) % 20, 1);
    }
    const { model, parameters } = await train({ events: builder.build({ ordered: false }) }, sequential);
    expect(parameters.hint).toBeGreaterThan(0);
    const [first] = new G1Scorer(model).recommend(userOf([3, 15], [], [0, 1]), { n: 3 });
    expect(first?.item).toBe(15);
  });

  test('a user of whom only an attribute is known gets what its bearers like', async () => {
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

  test('an item without events is reached through its attributes', async () => {
    const events = eventsOf(
      Array.from({ length: 40 }, (_, user) => (user % 2 ? [0, 1, 2] : [4, 5, 6])),
      { items: 8 },
    );
    // Items 0 to 3 bear value 0, items 4 to 7 value 1; nobody had 3 or 7.
    const itemAttributes = {
      ...{ rows: 8, columns: 2 },
      offsets: Uint32Array.from({ length: 9 }, (_, item) => item),
      column: Uint32Array.of(0, 0, 0, 0, 1, 1, 1, 1),
    };
    const scorer = new G1Scorer(await fitModel({ events, itemAttributes }, sequential, { gamma: 1 }));
    const masked = (item: number) => item !== 3 && item !== 7;
    expect(scorer.recommend(userOf([0, 1]), { n: 1, masked })[0]?.item).toBe(3);
    expect(scorer.recommend(userOf([4]), { n: 1, masked })[0]?.item).toBe(7);
  });

  test('what follows is recommended where order is known', async () => {
    const lists = Array.from({ length: 60 }, (_, user) =>
      Array.from({ length: 6 }, (_, step) => (user + step) % 30),
    );
    const model = await fitModel({ events: eventsOf(lists, { ordered: true }) }, sequential);
    expect(new G1Scorer(model).recommend(userOf([10, 11, 12]), { n: 1 })[0]?.item).toBe(13);
  });
});
