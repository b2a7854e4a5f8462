import { describe, expect, test } from 'vitest';
import { G1Scorer, train } from '../src/g1/index.ts';
import {
  algorithms,
  InteractionsBuilder,
  readModel,
  seededRandom,
  sequential,
  type TrainingData,
} from '../src/index.ts';
import { userOf } from './synthetic-data.ts';

const tastes = 4;
const perTaste = 20;
const items = tastes * perTaste;
const [buy, dislike] = [0, 1];

/**
 * Users of four tastes. If dislikes are `telling`, they are of the other tastes, and what users bought before says nothing:
 * it is the same for everybody. Otherwise, dislikes are random and purchases are of the user's taste.
 */
function ratings(telling: boolean): TrainingData {
  const random = seededRandom(5);
  const any = () => Math.floor(random() * items);
  const builder = new InteractionsBuilder();
  for (let user = 0; user < 600; user++) {
    const taste = user % tastes;
    const push = (item: number, type: number, time: number) => builder.push(user, item, type, 1, time);
    const own = () => Math.floor(random() * perTaste) * tastes + taste;
    for (let turn = 0; turn < 2; turn++) push(telling ? items + ((user + turn) % 3) : own(), buy, turn);
    for (let turn = 0; turn < 6; turn++) {
      let item = any();
      while (telling && item % tastes === taste) item = any();
      push(item, dislike, 2 + turn);
    }
    for (let turn = 0; turn < 2; turn++) push(own(), buy, 10 + turn);
  }
  return { events: builder.build({ ordered: true }), negativeTypes: [dislike] };
}

describe('dislikes', () => {
  test('count against similar items where the data shows that they tell something', async () => {
    const { parameters, model, otherTypes } = await train(ratings(true), sequential);
    expect(parameters.dislike).toBeGreaterThan(0);
    expect(parameters.typeWeights).toEqual([1, 0]);
    const [{ active } = { active: undefined }] = otherTypes;
    expect(active?.weight).toBe(-parameters.dislike);
    expect(active?.ndcg20.mean).toBeGreaterThan(active?.ndcg20Without.mean ?? 1);
    // Everything that this user dislikes is of taste 1.
    const disliked = [1, 5, 9, 13, 17, 21];
    const user = userOf([items, ...disliked], [], [buy, ...disliked.map(() => dislike)]);
    const list = new G1Scorer(model).recommend(user, { n: 20 }).map(({ item }) => item);
    const without = new G1Scorer(model).recommend(userOf([items]), { n: 20 }).map(({ item }) => item);
    const count = (found: readonly number[]) =>
      found.filter((item) => item < items && item % tastes === 1).length;
    expect(count(list)).toBeLessThan(count(without));
  });

  test('say nothing of other items where they are random', async () => {
    const { parameters } = await train(ratings(false), sequential);
    expect(parameters.dislike).toBe(0);
  });
});

describe.each(algorithms.map((algorithm) => [algorithm.type, algorithm] as const))('%s', (_, algorithm) => {
  const names = { eventTypes: ['buy', 'dislike'], targetEventType: 'buy', userCodes: [], itemCodes: [] };

  test('does not recommend a disliked item until the user does something else with it', async () => {
    const data = ratings(true);
    const { model } = await algorithm.train(data, sequential, { parameters: {}, names });
    const itemIds = Array.from({ length: data.events.items }, (_, item) => `i${item}`);
    const file = Buffer.concat([...model.encode({ itemIds, ...names })]);
    for (const each of [model, readModel(file).model]) {
      const scorer = each.scorer();
      const listed = (types: readonly number[], options = {}) =>
        scorer
          .recommend(userOf([items, ...types.map(() => 7)], [], [buy, ...types]), { n: 200, ...options })
          .some(({ item }) => item === 7);
      expect(listed([])).toBe(true);
      expect(listed([dislike])).toBe(false);
      expect(listed([dislike], { keepSeen: true })).toBe(false);
      expect(listed([buy, dislike], { keepSeen: true })).toBe(false);
      expect(listed([dislike, buy], { keepSeen: true })).toBe(true);
      expect(listed([dislike], { keepDisliked: true })).toBe(true);
    }
  });
});
