import { describe, expect, test } from 'vitest';
import { holdOut } from '../src/data/split.ts';
import { partUsers } from '../src/evaluation/part-users.ts';
import { search } from '../src/g1/search/search.ts';
import {
  type Interactions,
  InteractionsBuilder,
  ItemValuesBuilder,
  ndcg,
  recall,
  seededRandom,
  sequential,
  type TrainingData,
} from '../src/index.ts';
import { draw } from '../src/lib/random.ts';
import { type Estimate, estimate } from '../src/statistics/interval.ts';
import { eventsOf, syntheticData, syntheticEvents } from './synthetic-data.ts';

const holds = ({ low, high }: Estimate, value: number) => low <= value && value <= high;
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the reported metrics', () => {
  const users = 60;
  const items = 60;
  const perUser = 10;
  const heldOut = 2;

  /** Everything that a training may know, and nothing of it says anything: users, items, order, attributes are random. */
  function noise(seed: number): TrainingData {
    const random = seededRandom(seed);
    const anyItem = () => Math.floor(random() * items);
    const catalogue = Array.from({ length: items }, (_, item) => item);
    const builder = new InteractionsBuilder();
    for (let user = 0; user < users; user++)
      for (const [place, item] of draw(catalogue, perUser, random).entries()) {
        builder.push(user, item, 0, 1, 2 * place);
        builder.push(user, anyItem(), 1, 1, 2 * place + 1);
      }
    const oneEach = (rows: number, columns: number) => ({
      rows,
      columns,
      offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => row),
      column: Uint32Array.from({ length: rows }, () => Math.floor(random() * columns)),
    });
    return {
      events: builder.build({ ordered: true, users, items }),
      userAttributes: oneEach(users, 3),
      itemAttributes: oneEach(items, 5),
    };
  }

  /** What a ranking reaches that knows nothing, among the items that the user did not have before. */
  function chance() {
    const random = seededRandom(7);
    const candidates = Array.from({ length: items - perUser + heldOut }, (_, item) => item);
    const relevant = new Set([0, 1]);
    const lists = Array.from({ length: 40_000 }, () => draw(candidates, 20, random));
    return {
      recall: average(lists.map((list) => recall(list, relevant, 20))),
      ndcg: average(lists.map((list) => ndcg(list, relevant, 20))),
    };
  }

  test('on pure noise are unbiased, and 90 to 99 % of their intervals contain the true value', async () => {
    // With few runs, 99 % cannot be told from all of them; .ci/release has enough.
    const runs = Number(process.env['METRICS_RUNS'] ?? 10);
    const truth = chance();
    const reports = [];
    for (let run = 0; run < runs; run++) reports.push(await search(noise(100 + run), sequential));
    expect(average(reports.map(({ tried }) => tried.length))).toBeGreaterThan(60);
    for (const [metric, value] of [
      ['recall20', truth.recall],
      ['ndcg20', truth.ndcg],
    ] as const) {
      const estimates = reports.map((report) => report.test[metric]);
      const held = estimates.filter((each) => holds(each, value)).length;
      expect.soft(held, metric).toBeGreaterThanOrEqual(0.9 * runs);
      if (runs >= 100) expect.soft(held, metric).toBeLessThanOrEqual(0.99 * runs);
      const means = estimates.map(({ mean }) => mean);
      const spread = Math.sqrt(average(means.map((mean) => (mean - average(means)) ** 2)));
      expect.soft(Math.abs(average(means) - value), metric).toBeLessThan((3 * spread) / Math.sqrt(runs));
    }
  }, 120_000);

  test('come from users without influence on any choice: their last events change no parameter', async () => {
    const data = syntheticData();
    const builder = new ItemValuesBuilder();
    for (let item = 0; item < data.events.items; item++) builder.add({ taste: item % 4 });
    const values = builder.build();
    const split = holdOut(data.events, 'tail');
    const { validation, test: tested } = partUsers(split, 1);
    expect(validation.length).toBeGreaterThan(60);
    expect(tested.length).toBeGreaterThan(30);
    const found = await search(data, sequential, { values });
    const other = await search({ ...data, events: swapped(data.events, split.heldOut, tested) }, sequential, {
      values,
    });
    expect(other.tried).toEqual(found.tried);
    expect(other.parameters).toEqual(found.parameters);
    expect(other.priorStrength).toBe(found.priorStrength);
    expect(other.test.ndcg20).not.toEqual(found.test.ndcg20);
    expect([found.validationUsers, found.test.users]).toEqual([validation.length, tested.length]);
  });

  /** The held-out events of these users, with items that they did not have. */
  function swapped(events: Interactions, isHeldOut: Uint8Array, users: readonly number[]): Interactions {
    const item = events.item.slice();
    for (const user of users) {
      const run = events.item.subarray(events.offsets[user], events.offsets[user + 1]);
      const unseen = Array.from({ length: events.items }, (_, each) => each).filter(
        (each) => !run.includes(each),
      );
      for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++)
        if (isHeldOut[event] === 1) item[event] = unseen.shift() ?? item[event]!;
    }
    return { ...events, item };
  }

  test.each([
    [0, 0, 0],
    [1, 1, 0],
    [2, 2, 0],
    [3, 2, 1],
    [30, 20, 10],
    [9000, 4000, 3000],
    [15_000, 4000, 4000],
  ])('of %i users %i choose and %i test', (users, choosing, testing) => {
    const relevantOffsets = Uint32Array.from({ length: users + 1 }, (_, user) => user);
    const train = { users } as Interactions;
    const rest = { train, relevantOffsets, coldUsers: new Uint32Array(), relevant: new Uint32Array(users) };
    const parts = partUsers({ ...rest, heldOut: new Uint8Array() }, 1);
    expect([parts.validation.length, parts.test.length]).toEqual([choosing, testing]);
    expect(new Set([...parts.validation, ...parts.test]).size).toBe(choosing + testing);
  });

  test('have the interval 0 to 1 if there are no test users', async () => {
    const {
      test: tested,
      popularity,
      coldItems,
    } = await search({ events: eventsOf([[0, 1, 2]]) }, sequential);
    for (const { users, recall20, ndcg20, coverage } of [tested, popularity]) {
      expect(users).toBe(0);
      for (const { low, high } of [recall20, ndcg20, coverage]) expect([low, high]).toEqual([0, 1]);
    }
    expect(coldItems.recall20).toEqual({ mean: 0, low: 0, high: 1 });
  });

  test('have wider intervals with fewer users', async () => {
    const width = async (users: number) => {
      const { ndcg20 } = (
        await search({ events: syntheticEvents({ users, items: 60, perUser: 10 }) }, sequential)
      ).test;
      return ndcg20.high - ndcg20.low;
    };
    const widths = await Promise.all([12, 60, 300].map(width));
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  });
});

describe('the interval of a mean', () => {
  const discount = (place: number) => 1 / Math.log2(place + 2);
  /** A hit at any place of 20, for one user in ten. */
  const oneHit = (random: () => number) => {
    const place = Math.floor(random() * 200);
    return place < 20 ? discount(place) : 0;
  };
  const cases: Record<string, { draw: (random: () => number) => number; truth: number }> = {
    'few users with a hit': {
      draw: oneHit,
      truth: average(Array.from({ length: 200 }, (_, place) => (place < 20 ? discount(place) : 0))),
    },
    'hit or miss': { draw: (random) => (random() < 0.3 ? 1 : 0), truth: 0.3 },
    'most found': { draw: (random) => random() ** 0.25, truth: 0.8 },
    uniform: { draw: (random) => random(), truth: 0.5 },
  };

  test.each(
    Object.entries(cases).flatMap(([name, each]) =>
      [5, 20, 50, 200].map((users) => ({ name, users, ...each })),
    ),
  )('holds it in 95 of 100 samples: $name, $users users', ({ draw: drawOne, truth, users }) => {
    const random = seededRandom(users);
    const runs = 2000;
    let held = 0;
    for (let run = 0; run < runs; run++)
      if (holds(estimate(Array.from({ length: users }, () => drawOne(random))), truth)) held++;
    expect(held / runs).toBeGreaterThan(0.925);
    // Where hits are few, a sample of few users has one or none: intervals cannot be exact, and err on the wide side.
    if (users >= 200) expect(held / runs).toBeLessThan(0.975);
  });

  test.each([
    { name: 'no users', values: [], low: 0, high: 1 },
    { name: 'five users without a hit', values: [0, 0, 0, 0, 0], low: 0, high: 0.522 },
    { name: 'five users with everything', values: [1, 1, 1, 1, 1], low: 0.478, high: 1 },
    { name: 'one user', values: [0.4], low: 0.01, high: 0.985 },
  ])('of $name claims no more than they show', ({ values, low, high }) => {
    const found = estimate(values);
    expect(found.low).toBeCloseTo(low, 3);
    expect(found.high).toBeCloseTo(high, 3);
  });
});
