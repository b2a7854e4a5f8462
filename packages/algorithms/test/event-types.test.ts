import { describe, expect, test } from 'vitest';
import { writeContainer } from '../src/container.ts';
import { type EventWeights, eventWeights, scalesFor } from '../src/g1/data/event-weights.ts';
import { decodeModel, fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { kind } from '../src/g1/model/file.ts';
import { defaults } from '../src/g1/parameters.ts';
import { InteractionsBuilder, packTexts, seededRandom, sequential } from '../src/index.ts';
import { bookshop, booksOf, genreOf } from './bookshop.ts';
import { namesOf, storedArrays, syntheticData, userOf } from './synthetic-data.ts';

const viewed = (items: readonly number[]) =>
  userOf(
    items,
    [],
    items.map(() => 1),
  );

/** What several tests ask about, trained once. */
const trained = new Map<string, ReturnType<typeof train>>();
function trainShop(options: Parameters<typeof bookshop>[0]): ReturnType<typeof train> {
  const key = JSON.stringify(options);
  const training = trained.get(key) ?? train({ events: bookshop(options) }, sequential);
  trained.set(key, training);
  return training;
}
const manyPurchases = { buys: 4, views: 8 };

describe('a visitor who viewed four cookbooks and bought nothing', () => {
  const shops = {
    'few purchases, of books that were not viewed': {},
    'few purchases, many of viewed books': { repeat: 0.5 },
    'many purchases': manyPurchases,
    'few users': { users: 800 },
    'other users': { seed: 2 },
  };
  test.each(Object.entries(shops))('gets cookbooks: %s', async (_, options) => {
    const { model } = await trainShop(options);
    const scorer = new G1Scorer(model);
    for (const places of [
      [1, 3, 5, 7],
      [4, 8, 12, 16],
    ]) {
      const list = scorer.recommend(viewed(booksOf('cooking', places)), { n: 10 }).map(({ item }) => item);
      expect(list.filter((item) => genreOf(item) === 'cooking').length).toBeGreaterThanOrEqual(6);
    }
  });

  test('gets other cookbooks first where nobody buys what they viewed', async () => {
    const { model, parameters } = await trainShop(manyPurchases);
    expect(parameters.visitorHints).toEqual([0, 0]);
    const books = booksOf('cooking', [1, 3, 5, 7]);
    const [first] = new G1Scorer(model).recommend(viewed(books), { n: 1 });
    expect(books).not.toContain(first?.item);
  });

  test('gets cookbooks from fixed weights too', async () => {
    const { model } = await train({ events: bookshop() }, sequential, { given: { typeWeights: [1, 0.2] } });
    const list = new G1Scorer(model).recommend(viewed(booksOf('cooking', [1, 3, 5, 7])), { n: 10 });
    expect(list.filter(({ item }) => genreOf(item) === 'cooking').length).toBeGreaterThanOrEqual(6);
  });
});

describe('what an event type is worth', () => {
  test('is measured on test users, for visitors and for active users', async () => {
    const { otherTypes, test: tested } = await trainShop(manyPurchases);
    expect(otherTypes).toHaveLength(1);
    const { type, visitors, active, tried } = otherTypes[0]!;
    expect(type).toBe(1);
    for (const { users } of [visitors, active]) {
      expect(users).toBeGreaterThan(50);
      expect(users).toBeLessThanOrEqual(tested.users);
    }
    expect(visitors.weight).toBeGreaterThan(0);
    expect(visitors.ndcg20.mean).toBeGreaterThan(1.2 * visitors.ndcg20Without.mean);
    expect(tried.map(({ weight }) => weight)).toContain(0);
  });

  test('is nothing where its events are noise and taste is known', async () => {
    const random = seededRandom(3);
    const builder = new InteractionsBuilder();
    for (let user = 0; user < 400; user++)
      for (let place = 0; place < 8; place++) {
        builder.push(user, (user % 4) * 25 + Math.floor(random() ** 2 * 25), 0, 1, 2 * place);
        builder.push(user, Math.floor(random() * 100), 1, 1, 2 * place + 1);
      }
    const { parameters, otherTypes } = await train({ events: builder.build({ ordered: true }) }, sequential);
    expect(parameters.typeWeights[1]).toBeLessThanOrEqual(0.3);
    expect([parameters.visitorHints[1], parameters.fade]).toEqual([0, 0]);
    const { active } = otherTypes[0]!;
    expect(active.ndcg20.mean).toBeGreaterThan(active.ndcg20Without.mean - 0.02);
  });

  test('stays at a prior above 0 if too few users have such events', async () => {
    const builder = new InteractionsBuilder();
    for (let user = 0; user < 100; user++)
      for (let place = 0; place < 6; place++) builder.push(user, (user * 3 + place) % 20, 0, 1, place);
    for (let user = 100; user < 110; user++) builder.push(user, user % 20, 1, 1, 0);
    const { parameters, otherTypes } = await train({ events: builder.build({ ordered: true }) }, sequential);
    expect(parameters.visitorWeights).toEqual([1, 0.5]);
    expect(parameters.visitorHints).toEqual([0, 0]);
    expect(otherTypes[0]?.visitors.users).toBe(0);
  });
});

describe('the weights of a user', () => {
  const weights: EventWeights = eventWeights(
    {
      ...defaults({ items: 5, types: 2, ordered: true, userAttributes: false, itemAttributes: false }),
      typeWeights: [1, 0],
      visitorWeights: [1, 0.8],
      visitorHints: [0, 2],
      fade: 3,
    },
    [1, 1],
  );

  test('go from those of a visitor to those of an active user as target events come', () => {
    const byTargets = [0, 1, 3, 9, 1e9].map((targets) => scalesFor(weights, targets).scale[1]!);
    expect(byTargets.map((one) => Number(one.toFixed(3)))).toEqual([0.8, 0.6, 0.4, 0.2, 0]);
    expect(scalesFor(weights, 3).hint).toBe(1);
    expect(scalesFor({ ...weights, fade: 0 }, 1)).toBe(weights.active);
  });
});

test('a file without weights by kind of user is read as it was written', async () => {
  const model = await fitModel(syntheticData(), sequential);
  const { parameters, items, attributes } = model;
  const { itemIds, ...names } = namesOf(model);
  const eventScale = [1, 0.25];
  const header = { parameters: { ...parameters, hint: 2 }, items, attributes, eventScale, ...names };
  const { ends: itemIdEnds, bytes: itemIdBytes } = packTexts(itemIds);
  const arrays = { ...storedArrays(model), itemIdEnds, itemIdBytes };
  const read = decodeModel(Buffer.concat([...writeContainer(kind, header, arrays)]));
  const same = { scale: eventScale, hint: 2, hintScale: eventScale };
  expect(read.model.weights).toEqual({ active: same, visitor: same, fade: 0 });
  const hint = new G1Scorer(read.model).explain(viewed([3]), 3).find(({ kind: of }) => of === 'hint');
  expect(hint?.amount).toBe(0.5);
});
