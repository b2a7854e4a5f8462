import { describe, expect, test } from 'vitest';
import { holdOut } from '../src/data/split.ts';
import { train } from '../src/g1/index.ts';
import { type Estimate, sequential } from '../src/index.ts';
import { eventsOf, syntheticEvents } from './synthetic-data.ts';

describe('the search', () => {
  test('keeps given parameters, and reports its choices and their metrics', async () => {
    const stages: string[] = [];
    const fractions: number[] = [];
    const {
      parameters,
      validationUsers,
      test: reached,
      fits,
    } = await train(
      { events: syntheticEvents({ users: 200, items: 50, perUser: 10, ordered: true }) },
      sequential,
      {
        given: { lambda: 42, recency: 0.25 },
        maxFits: 1,
        onProgress: (stage, fraction) => {
          stages.push(stage);
          fractions.push(fraction);
        },
      },
    );
    expect(parameters).toMatchObject({ lambda: 42, recency: 0.25 });
    expect(fits).toBe(1);
    expect(validationUsers).toBeGreaterThan(100);
    expect(reached.users).toBeGreaterThan(50);
    expect(stages.at(-1)).toBe('fit: model');
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  });

  test('with a single fit, tries three penalties, and then only what needs none', async () => {
    const { tried, fits } = await train(
      { events: syntheticEvents({ users: 200, items: 50, perUser: 10, ordered: true }) },
      sequential,
      { maxFits: 1 },
    );
    expect(fits).toBe(1);
    const lambdas = tried
      .filter(({ step }) => step === 'regression')
      .map(({ parameters }) => parameters.lambda);
    expect([...new Set(lambdas)]).toEqual([30, 100, 300]);
    // The best of the three is 300, and 1000 was fitted together with them.
    const steps = ['lambda 1000', 'transitions', 'recency', 'a'];
    expect(tried.map(({ step }) => step)).toEqual(expect.arrayContaining(steps));
    expect(tried.filter(({ step }) => step === 'shape')).toEqual([]);
  });

  test('reports each metric with its confidence interval and that of popularity', async () => {
    const { test: reached, popularity } = await train(
      { events: syntheticEvents({ users: 400, items: 160, perUser: 14 }) },
      sequential,
    );
    for (const { recall20, ndcg20, coverage } of [reached, popularity])
      for (const { mean, low, high } of [recall20, ndcg20, coverage] satisfies Estimate[]) {
        expect(mean).toBeGreaterThan(0);
        expect(mean).toBeLessThan(1);
        expect(low).toBeGreaterThan(0);
        expect(low).toBeLessThanOrEqual(mean);
        expect(high).toBeGreaterThanOrEqual(mean);
        expect(high).toBeLessThan(2 * mean);
      }
    expect(reached.coverage.mean).toBeGreaterThan(popularity.coverage.mean);
  });

  test('reports cold users separately: attributes serve them better than popularity', async () => {
    const users = 1000;
    const events = eventsOf(
      Array.from({ length: users }, (_, user) =>
        Array.from({ length: 8 }, (_, place) => ((user + place * 7) % 40) * 2 + (user % 2)),
      ),
    );
    const userAttributes = {
      rows: users,
      columns: 2,
      offsets: Uint32Array.from({ length: users + 1 }, (_, user) => user),
      column: Uint32Array.from({ length: users }, (_, user) => user % 2),
    };
    const { coldUsers, validationUsers, test: reached } = await train({ events, userAttributes }, sequential);
    expect(coldUsers!.model.users).toBe(coldUsers!.popularity.users);
    expect(coldUsers!.model.users).toBeGreaterThan(5);
    expect(coldUsers!.model.users + validationUsers + reached.users).toBeLessThanOrEqual(users);
    expect(coldUsers!.model.ndcg20.mean).toBeGreaterThan(coldUsers!.popularity.ndcg20.mean * 1.3);
  });

  test('reports cold items separately: without attributes they are never recommended', async () => {
    // The last item of each user is theirs alone.
    const lists = Array.from({ length: 100 }, (_, user) => [
      user % 5,
      (user + 1) % 5,
      (user + 2) % 5,
      5 + user,
    ]);
    const {
      coldItems,
      coldUsers,
      test: reached,
    } = await train({ events: eventsOf(lists, { ordered: true }) }, sequential);
    expect(coldItems.items).toBe(100);
    expect(coldItems.users).toBe(reached.users);
    expect(coldItems.recall20.mean).toBeLessThan(0.3);
    expect(coldUsers).toBeDefined();
  });
});

describe('the held-out part', () => {
  const events = syntheticEvents({ users: 500, items: 60, perUser: 10, ordered: true });

  test.each(['tail', 'last', 'random'] as const)('%s: has no event in common with the known part', (how) => {
    const { train: rest, relevant, relevantOffsets, coldUsers } = holdOut(events, how);
    for (let user = 0; user < events.users; user++) {
      const known = rest.item.subarray(rest.offsets[user], rest.offsets[user + 1]);
      const held = relevant.subarray(relevantOffsets[user], relevantOffsets[user + 1]);
      expect(held.some((item) => known.includes(item))).toBe(false);
      expect(known.length > 0).toBe(!coldUsers.includes(user));
    }
    expect(coldUsers.length).toBeGreaterThan(2);
    expect(coldUsers.length).toBeLessThan(25);
  });

  test('consists of the latest events of each user', () => {
    const { train: rest, coldUsers } = holdOut(events, 'tail');
    for (let user = 0; user < events.users; user++) {
      if (coldUsers.includes(user)) continue;
      const known = rest.item.subarray(rest.offsets[user], rest.offsets[user + 1]);
      expect(known).toEqual(events.item.subarray(events.offsets[user], events.offsets[user]! + 8));
    }
  });
});
