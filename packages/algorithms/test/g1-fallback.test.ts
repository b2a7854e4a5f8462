import { describe, expect, test } from 'vitest';
import { decodeModel, fitModel, G1Scorer, type Training, train } from '../src/g1/index.ts';
import { sequential, type TrainingData } from '../src/index.ts';
import { attributesOf, drifting } from './drifting.ts';
import { fileOf, userOf } from './synthetic-data.ts';

const never = 36_500;
const nobody = userOf([]);
const listFor = ({ model }: Training, user = nobody) =>
  new G1Scorer(model).recommend(user, { n: 20 }).map(({ item }) => item);
const withTime = (data: TrainingData, time: Uint32Array | undefined): TrainingData => ({
  ...data,
  events: { ...data.events, time },
});

/** Popularity moves on by an item a day; on the last day, day 89, it is items 89 to 103. */
const moving = drifting({ season: 15, tastes: false });
const movingTraining = train(moving, sequential);
const isCurrent = (item: number) => item >= 80 && item <= 103;

/** Every user has a few events, all of one week, so that the users of the last days are new. */
function withNewUsers({ events, ...rest }: TrainingData): TrainingData {
  const users = Array.from({ length: events.item.length }, (_, event) => event);
  const order = users.sort((one, other) => events.time![one]! - events.time![other]! || one - other);
  const pick = <T extends Uint32Array | Uint8Array | Float32Array>(column: T) =>
    column.map((_, place) => column[order[place]!]!) as T;
  const count = Math.ceil(events.item.length / 4);
  return {
    ...rest,
    userAttributes: attributesOf(Array.from({ length: count }, (_, user) => user % 2)),
    events: {
      ...events,
      users: count,
      offsets: Uint32Array.from({ length: count + 1 }, (_, user) => Math.min(4 * user, events.item.length)),
      item: pick(events.item),
      type: pick(events.type),
      value: pick(events.value),
      time: pick(events.time!),
    },
  };
}

describe('a user without events', () => {
  test('gets what is popular now if that changes, by attributes too', async () => {
    const training = await movingTraining;
    expect(training.parameters.halfLifeDays).toBeLessThanOrEqual(14);
    for (const user of [nobody, userOf([], [0, 2]), userOf([], [1, 3])])
      expect(listFor(training, user).slice(0, 10).filter(isCurrent).length).toBeGreaterThanOrEqual(9);
    const undecayed = await fitModel(moving, sequential, { ...training.parameters, halfLifeDays: never });
    expect(
      listFor({ ...training, model: undecayed })
        .slice(0, 10)
        .every(isCurrent),
    ).toBe(false);
  });

  test('gets a score that is exactly the sum of its terms, also from the file', async () => {
    const { model } = await movingTraining;
    const scorer = new G1Scorer(decodeModel(fileOf(model)).model);
    const user = userOf([], [0, 2]);
    const list = scorer.recommend(user, { n: 20 }).filter(({ isFilled }) => !isFilled);
    expect(list.length).toBeGreaterThan(0);
    for (const { item, score } of list) {
      const parts = scorer.explain(user, item);
      expect(parts.map(({ kind }) => kind)).toContain('popularity');
      expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBe(score);
    }
  });

  test('is measured among the users who came last, where decay beats popularity of all time', async () => {
    const { coldUsers, parameters } = await train(withNewUsers(moving), sequential);
    expect(parameters.halfLifeDays).toBeLessThanOrEqual(14);
    expect(coldUsers!.model.users).toBeGreaterThan(5);
    expect(coldUsers!.model.ndcg20.mean).toBeGreaterThan(2 * coldUsers!.popularity.ndcg20.mean);
  });
});

test('items that nothing points to follow by what is popular now, and old ones keep their order', async () => {
  const { model } = await movingTraining;
  const rest = new G1Scorer(model).recommend(userOf([299]), { n: 300 }).filter(({ isFilled }) => isFilled);
  expect(rest.slice(0, 5).every(({ item }) => isCurrent(item))).toBe(true);
  const [early] = rest.filter(({ item }) => item < 30);
  expect(early!.score).toBeGreaterThan(0);
});

describe('popularity does not decay', () => {
  test('if it is stable', async () => {
    const training = await train(drifting({ season: Infinity, tastes: false }), sequential);
    expect(training.parameters.halfLifeDays).toBeGreaterThanOrEqual(30);
  });

  test('without usable times: the model is the same to the byte as without times', async () => {
    const data = drifting({ season: 15, tastes: true });
    const same = await train(
      withTime(
        data,
        data.events.time!.map(() => 5),
      ),
      sequential,
    );
    const none = await train(withTime(data, undefined), sequential);
    expect(same.parameters.halfLifeDays).toBe(never);
    expect(fileOf(same.model).equals(fileOf(none.model))).toBe(true);
    expect(same.coldUsers).toEqual(none.coldUsers);
  });
});
