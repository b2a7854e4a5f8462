import { describe, expect, test } from 'vitest';
import { longestHistory } from '../src/data/interactions.ts';
import { fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { InteractionsBuilder, sequential } from '../src/index.ts';
import { eventsOf, syntheticEvents, userOf } from './synthetic-data.ts';

describe('edge cases', () => {
  test.each([
    ['no data', eventsOf([])],
    ['one user, one item', eventsOf([[0]])],
    ['one item for everybody', eventsOf([[0], [0], [0]])],
    ['one user with many items', eventsOf([[0, 1, 2, 3, 4]])],
    [
      'users who have every item',
      eventsOf([
        [0, 1, 2],
        [0, 1, 2],
        [2, 1, 0],
      ]),
    ],
    [
      'the same event over and over',
      eventsOf([
        [1, 1, 1, 1],
        [0, 1],
      ]),
    ],
    ['items that nobody had', eventsOf([[0, 1]], { items: 10 })],
    ['users without events', eventsOf([[], [0, 1], []])],
    ['order, and one event each', eventsOf([[0], [1]], { ordered: true })],
  ])('%s trains and answers', async (_, events) => {
    const { model, test: reached } = await train({ events }, sequential);
    const { mean, low, high } = reached.ndcg20;
    expect([0, low, mean, high, 1]).toEqual([0, low, mean, high, 1].toSorted((a, b) => a - b));
    const list = new G1Scorer(model).recommend(userOf([0]), { n: 5 });
    expect(list.every(({ item, score }) => item !== 0 && Number.isFinite(score))).toBe(true);
    expect(list.length).toBe(Math.min(5, Math.max(0, events.items - 1)));
  });

  test('events with a value of zero or less have no weight', async () => {
    const builder = new InteractionsBuilder();
    for (let user = 0; user < 10; user++) {
      builder.push(user, 0, 0, 1);
      builder.push(user, 1, 0, 0);
      builder.push(user, 2, 0, -5);
    }
    const model = await fitModel({ events: builder.build({ ordered: false }) }, sequential);
    expect([...model.popularity]).toEqual([10, 0, 0]);
  });

  test('a larger value has more weight, whatever its unit', async () => {
    const weights = async (unit: number) => {
      const builder = new InteractionsBuilder();
      for (let user = 0; user < 10; user++) {
        builder.push(user, 0, 0, 3 * unit);
        builder.push(user, 1, 0, unit);
      }
      return [...(await fitModel({ events: builder.build({ ordered: false }) }, sequential)).popularity];
    };
    const [larger = 0, smaller = 0] = await weights(1);
    expect(larger).toBeGreaterThan(smaller);
    expect(await weights(64)).toEqual([larger, smaller]);
  });
});

describe('interactions', () => {
  test('are ordered by time per user, and by insertion if times are equal', () => {
    const builder = new InteractionsBuilder();
    for (const [item, time] of [
      [7, 30],
      [8, 10],
      [9, 10],
      [5, 20],
    ] as const)
      builder.push(0, item, 0, 1, time);
    expect([...builder.build({ ordered: true }).item]).toEqual([8, 9, 5, 7]);
  });

  test('are cut to the latest ones', () => {
    const builder = new InteractionsBuilder();
    for (let event = 0; event < longestHistory + 5; event++) builder.push(0, event, 0, 1, event);
    const { item } = builder.build({ ordered: true });
    expect(item.length).toBe(longestHistory);
    expect(item[0]).toBe(5);
  });

  test('take 9 bytes per event and 4 per user', () => {
    const { offsets, item, type, value } = syntheticEvents({ users: 50, items: 20, perUser: 10 });
    expect(item.byteLength + type.byteLength + value.byteLength).toBe(9 * 500);
    expect(offsets.byteLength).toBe(4 * 51);
  });
});
