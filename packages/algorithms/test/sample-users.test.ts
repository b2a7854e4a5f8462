import { expect, test } from 'vitest';
import { sampleUsers } from '../src/data/sample-users.ts';
import { train } from '../src/g1/index.ts';
import { sequential, type TrainingData } from '../src/index.ts';
import { syntheticData } from './synthetic-data.ts';

const data = { ...syntheticData(), itemColumns: {} };
const withTimes: TrainingData = {
  ...data,
  events: { ...data.events, time: data.events.item.map((_, event) => 1000 + event) },
};

/** Each user's events and attribute values. */
function usersOf({ events, userAttributes }: TrainingData): string[] {
  return Array.from({ length: events.users }, (_, user) => {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    const columns = [events.item, events.type, events.value, events.time!];
    const values = userAttributes?.column.subarray(
      userAttributes.offsets[user],
      userAttributes.offsets[user + 1],
    );
    return JSON.stringify([columns.map((column) => [...column.subarray(from, to)]), [...values!]]);
  });
}

test('a sample has whole users in the same order, about as many events as wanted, and all items', () => {
  const size = withTimes.events.item.length;
  const { data: sample, users } = sampleUsers(withTimes, { above: size - 1, events: size / 2 }, 3);
  const all = usersOf(withTimes);
  const kept = usersOf(sample);
  expect(Array.from(users!, (user) => all[user])).toEqual(kept);
  expect(sample.events.item.length).toBeGreaterThan(0.35 * size);
  expect(sample.events.item.length).toBeLessThan(0.65 * size);
  expect(sample.events.items).toBe(withTimes.events.items);
  expect(sample.itemAttributes).toBe(withTimes.itemAttributes);
  expect(usersOf(sampleUsers(withTimes, { above: 0, events: size / 2 }, 3).data)).toEqual(kept);
});

test('data that is not above the limit is not sampled', () => {
  const size = withTimes.events.item.length;
  expect(sampleUsers(withTimes, { above: size, events: 1 }, 3)).toEqual({
    data: withTimes,
    users: undefined,
  });
});

test('a training that searches on a sample reports on other users, and fits all data', async () => {
  const given = { k: 20 };
  const sampled = await train(withTimes, sequential, {
    given,
    sample: { above: 100, events: 700 },
    maxFits: 2,
  });
  const whole = await train(withTimes, sequential, { given, maxFits: 2 });
  expect(whole.sampledUsers).toBeUndefined();
  expect(sampled.sampledUsers).toBeGreaterThan(50);
  expect(sampled.sampledUsers).toBeLessThan(90);
  expect(sampled.test.users).toBeGreaterThan(10);
  expect(sampled.test.users).toBeLessThanOrEqual(150 - sampled.sampledUsers!);
  expect(sampled.parameters.typeWeights).toHaveLength(2);
  // The popularity of items is that of all users.
  const { popularity } = sampled.model;
  expect(popularity.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(1000);
});
