import { describe, expect, test } from 'vitest';
import { decodeModel, fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { sharesOf } from '../src/g1/model/shares.ts';
import { seededRandom, sequential } from '../src/index.ts';
import { eventsOf, fileOf, userOf } from './synthetic-data.ts';

const items = 60;

/** Each user chooses among 30 of 60 items; `again` is how likely the next one is one of the last three. */
function histories(again: number, users = 400) {
  const random = seededRandom(5);
  const pick = (count: number) => Math.floor(random() * count);
  return Array.from({ length: users }, () => {
    const first = pick(items);
    const list: number[] = [];
    const isFresh = (item: number) => !list.includes(item);
    while (list.length < 14) {
      const unseen = Array.from({ length: 30 }, (_, place) => (first + place) % items).filter(isFresh);
      if (list.length > 3 && random() < again) list.push(list.at(-1 - pick(3))!);
      else list.push(unseen[pick(unseen.length)]!);
    }
    return list;
  });
}

const given = { lambda: 100, c: 3, beta: 0.3 };
const dataOf = (again: number) => ({ events: eventsOf(histories(again), { items, ordered: true }) });
const user = userOf([7, 3, 11]);
const everything = { n: items, keepSeen: true };

describe('items that users come back to', () => {
  test('come first where users do so and seen items are not excluded, the newest before the others', async () => {
    const { parameters, model } = await train(dataOf(0.6), sequential, { given });
    expect(parameters.repeat).toBeGreaterThan(0);
    const list = new G1Scorer(model).recommend(user, everything).map(({ item }) => item);
    expect(list.slice(0, 2)).toEqual([11, 3]);
  });

  test('get nothing for it where users never do so', async () => {
    const { parameters, tried } = await train(dataOf(0), sequential, { given });
    expect(parameters.repeat).toBe(0);
    expect(tried.filter(({ step }) => step === 'repeat')).toEqual([]);
  });

  test('get nothing for it where there is no order', async () => {
    const events = eventsOf(histories(0.6), { items, ordered: false });
    expect((await train({ events }, sequential, { given })).parameters.repeat).toBe(0);
  });

  test('change nothing for other items, nor the shares of values', async () => {
    const { events } = dataOf(0.6);
    const [plain, again] = [0, 1].map((repeat) => fitModel({ events }, sequential, { ...given, repeat }));
    const listOf = async (model: typeof plain) => new G1Scorer(await model!).recommend(user, { n: items });
    expect(await listOf(again)).toEqual(await listOf(plain));
    const users = {
      events,
      userAttributes: {
        rows: 0,
        columns: 0,
        offsets: new Uint32Array(events.users + 1),
        column: new Uint32Array(),
      },
    };
    const carried = Uint8Array.from({ length: items }, (_, item) => item % 2);
    const shareOf = async (model: typeof plain) => sharesOf(users, await model!).of(carried)(0);
    expect(await shareOf(again)).toBe(await shareOf(plain));
    expect(await shareOf(plain)).toBeGreaterThan(0);
  });

  test.each([
    ['alone', {}],
    ['with pairs', { pairs: 0.4 }],
    ['with a low-rank part', { rank: 8, lowRankWeight: 0.4 }],
  ])('name themselves as the reason, and the reasons add up to the score: %s', async (_, more) => {
    const model = await fitModel(dataOf(0.6), sequential, { ...given, repeat: 1, ...more });
    const scorer = new G1Scorer(model);
    const first = scorer.recommend(user, everything)[0]!;
    const parts = scorer.explain(user, first.item);
    expect(parts).toContainEqual(expect.objectContaining({ kind: 'hint', index: first.item }));
    expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(first.score, 9);
  });

  test('are stored in the file of the model', async () => {
    const model = await fitModel(dataOf(0.6), sequential, { ...given, repeat: 1 });
    const read = decodeModel(fileOf(model));
    expect(read.model.weights.repeat).toBe(1);
    expect(new G1Scorer(read.model).recommend(user, everything)).toEqual(
      new G1Scorer(model).recommend(user, everything),
    );
  });
});
