import { algorithmOf, InteractionsBuilder, sequential } from '@tastegraph/algorithms';
import { fitModel, G1Scorer } from '@tastegraph/algorithms/g1';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Candidates } from '../../src/serving/search/candidates.ts';

const items = 40;
const itemIds = Array.from({ length: items }, (_, item) => `i${item}`);
let scorer: G1Scorer;

beforeAll(async () => {
  const events = new InteractionsBuilder();
  // Items above 30 have no events: only popularity ranks them, and many are equal.
  for (let user = 0; user < 60; user++)
    for (let turn = 0; turn < 6; turn++) events.push(user, (user * 7 + turn * turn) % 30, 0, 1, turn);
  scorer = new G1Scorer(
    await fitModel({ events: events.build({ ordered: false, users: 60, items }) }, sequential),
  );
});

const userOf = (history: readonly number[]) => ({
  events: {
    item: Uint32Array.from(history),
    type: new Uint8Array(history.length),
    value: new Float32Array(history.length).fill(1),
  },
  attributes: [],
});

describe('candidates', () => {
  test('contain no item twice and keep their order, whatever each batch asks for', () => {
    const history = fc.uniqueArray(fc.nat({ max: items - 1 }), { maxLength: 6 });
    const batch = fc.record({
      size: fc.integer({ min: 1, max: 12 }),
      isTarget: fc.array(fc.boolean(), { minLength: items, maxLength: items }),
    });
    const property = fc.property(history, fc.boolean(), fc.array(batch), (seen, keepSeen, batches) => {
      const user = userOf(seen);
      const all = new Candidates({ scorer, itemIds }, user, { keepSeen }).next(items);
      const stream = new Candidates({ scorer, itemIds }, user, { keepSeen });
      const found = batches.flatMap(({ size, isTarget }) => {
        const next = stream.next(size, (_, item) => isTarget[item ?? -1] === true);
        expect(next.length).toBeLessThanOrEqual(size);
        for (const { number = -1 } of next) expect(isTarget[number]).toBe(true);
        return next;
      });
      const places = found.map((one) => all.findIndex(({ itemId }) => itemId === one.itemId));
      // Strictly ascending, so no item occurs twice.
      for (const [place, one] of places.entries()) expect(one).toBeGreaterThan(places[place - 1] ?? -1);
      expect(found).toEqual(places.map((place) => all[place]));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('are the whole catalogue, or all eligible items of a masked one', () => {
    const isWanted = (item: number) => item % 3 > 0;
    for (const isMasked of [false, true]) {
      const stream = new Candidates({ scorer, itemIds }, userOf([1, 2, 3]), { keepSeen: true });
      const found: number[] = [];
      for (let size = 1; !stream.hasEnded; size += 3)
        for (const { number = -1 } of stream.next(
          size,
          isMasked ? (__, item = -1) => isWanted(item) : undefined,
        ))
          found.push(number);
      const expected = Array.from({ length: items }, (_, item) => item).filter(
        (item) => !isMasked || isWanted(item),
      );
      expect(found.toSorted((a, b) => a - b)).toEqual(expected);
    }
  });
});

test('of a presorted scorer are found in the same order without looking at many at once', async () => {
  const count = 100_000;
  const events = new InteractionsBuilder();
  for (let item = 0; item < count; item++) events.push(0, item, 0, 1 + (item % 7), 0);
  const names = { eventTypes: ['buy'], targetEventType: 'buy', userCodes: [], itemCodes: [] };
  const trained = await algorithmOf('POPULAR').train(
    { events: events.build({ ordered: true }) },
    sequential,
    {
      parameters: { half_life_days: 1, by_attribute: 'none' },
      names,
    },
  );
  const presorted = trained.model.scorer();
  const ids = Array.from({ length: count }, (_, item) => `i${item}`);
  const isRare = (item = 0) => item % 33_331 === 33_330;
  const expected = presorted.recommend(userOf([]), { n: count, masked: (item) => !isRare(item) });
  const stream = new Candidates({ scorer: presorted, itemIds: ids }, userOf([]));
  const found: number[] = [];
  for (let batches = 0; !stream.hasEnded; batches++) {
    let examined = 0;
    const next = stream.next(7, (_, item) => {
      examined++;
      return isRare(item);
    });
    expect(examined).toBeLessThanOrEqual(20_000);
    expect(next.length).toBeLessThanOrEqual(7);
    found.push(...next.map(({ number = -1 }) => number));
    expect(batches).toBeLessThan(100);
  }
  expect(found).toEqual(expected.map(({ item }) => item));
});
