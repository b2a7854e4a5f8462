import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdOut } from '../src/data/split.ts';
import { noFactors } from '../src/g1/fit/stored-factors.ts';
import { fitModel, type G1Model, G1Scorer, modelOf, train } from '../src/g1/index.ts';
import { predictorOf } from '../src/g1/model/shares.ts';
import { defaults } from '../src/g1/parameters.ts';
import {
  AffinityReader,
  type AttributeRecord,
  countUsersWithout,
  distributeUsers,
  findValues,
  ItemValuesBuilder,
  knownUsers,
  listUsers,
  packTexts,
  sequential,
  type TasteSnapshot,
} from '../src/index.ts';
import { blend } from '../src/taste/affinity.ts';
import { choosePriorStrength } from '../src/taste/prior-strength.ts';
import { syntheticData, syntheticEvents } from './synthetic-data.ts';

interface Case {
  readonly model: G1Model;
  readonly snapshot: TasteSnapshot;
  readonly records: readonly AttributeRecord[];
}

const types = 3;
const attributes = 3;

const anyScale = fc.array(fc.constantFrom(0, 0.3, 1), { minLength: types, maxLength: types });
const anyScales = fc.record({ scale: anyScale, hint: fc.constantFrom(0, 1), hintScale: anyScale });

/** Any model and any snapshot that fit together, whether a training would end in them or not. */
const anyCase: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 8 }).chain((items) => {
  const rows = items + 2 * attributes + 1;
  const entry = fc.tuple(fc.nat(items - 1), fc.integer({ min: -127, max: 127 }));
  const event = fc.tuple(
    fc.nat(items - 1),
    fc.nat(types - 1),
    fc.constantFrom(0, 0.5, 1, 3, 1e30, 1e-30).map(Math.fround),
  );
  const value = fc.constantFrom('a', 'b', 1, '1', true);
  return fc
    .record({
      parameters: fc.record({
        recency: fc.constantFrom(0, 0.5),
        attributeWeight: fc.constantFrom(0, 1),
        typeWeights: fc.constant<readonly number[]>([1, 0.5, 0]),
      }),
      weights: fc.record({ active: anyScales, visitor: anyScales, fade: fc.constantFrom(0, 2) }),
      matrix: fc.array(fc.uniqueArray(entry, { selector: ([item]) => item, maxLength: items }), {
        minLength: rows,
        maxLength: rows,
      }),
      scale: fc.array(fc.constantFrom(0, 1e-6, 0.01, 2).map(Math.fround), {
        minLength: rows,
        maxLength: rows,
      }),
      histories: fc.array(
        fc.tuple(fc.array(event, { maxLength: 8 }), fc.uniqueArray(fc.nat(attributes - 1))),
        { maxLength: 12 },
      ),
      records: fc.array(
        fc.record({ x: fc.oneof(value, fc.array(value, { maxLength: 3 })), y: value }, { requiredKeys: [] }),
        { minLength: items, maxLength: items },
      ),
      priorStrength: fc.constantFrom(0, 1, 10, 1e6),
    })
    .map(({ parameters, weights, matrix, scale, histories, records, priorStrength }) => {
      const sorted = matrix.map((row) => row.toSorted(([a], [b]) => a - b));
      const offsetsOf = (lists: readonly (readonly unknown[])[]) =>
        Uint32Array.from(lists.reduce<number[]>((sums, list) => [...sums, sums.at(-1)! + list.length], [0]));
      const model = {
        parameters: {
          ...defaults({ items, types, ordered: true, userAttributes: true, itemAttributes: false }),
          ...parameters,
        },
        items,
        attributes,
        weights,
        offsets: offsetsOf(sorted),
        target: Uint32Array.from(sorted.flat(), ([item]) => item),
        value: Int8Array.from(sorted.flat(), ([, entryValue]) => entryValue),
        rowScale: Float32Array.from(scale),
        popularity: new Float32Array(items),
        lowRank: noFactors,
      };
      const events = histories.map(([list]) => list);
      const builder = new ItemValuesBuilder();
      for (const record of records) builder.add(record);
      const snapshot = {
        userIds: packTexts(histories.map((_, user) => `u${user}`)),
        events: {
          users: histories.length,
          items,
          ordered: true,
          offsets: offsetsOf(events),
          item: Uint32Array.from(events.flat(), ([item]) => item),
          type: Uint8Array.from(events.flat(), ([, type]) => type),
          value: Float32Array.from(events.flat(), ([, , worth]) => worth),
        },
        userAttributes: {
          rows: histories.length,
          columns: attributes,
          offsets: offsetsOf(histories.map(([, tokens]) => tokens)),
          column: Uint32Array.from(histories.flatMap(([, tokens]) => tokens)),
        },
        values: builder.build(),
        priorStrength,
      };
      return { model, snapshot, records };
    });
});

const asked = ['x', 'y'].flatMap((name) => ['a', 'b', 1, '1', true].map((value) => [name, value] as const));

const carries = (record: AttributeRecord | undefined, name: string, value: unknown) =>
  [record?.[name]].flat().some((own) => own !== undefined && String(own) === String(value));

/** By the definition: each item's score is explained, term by term, for each user. */
function plainAffinity(
  { model, snapshot, records }: Case,
  user: number,
  name: string,
  value: unknown,
): number {
  const { events, userAttributes, priorStrength: k } = snapshot;
  const scorer = new G1Scorer(model);
  const [from, to] = [events.offsets[user], events.offsets[user + 1]];
  const own = {
    item: events.item.slice(from, to),
    type: events.type.slice(from, to),
    value: events.value.slice(from, to),
  };
  const tokens = Array.from(
    userAttributes.column.slice(userAttributes.offsets[user], userAttributes.offsets[user + 1]),
  );
  let [reached, total, on, all, everybodyOn, everybody] = [0, 0, 0, 0, 0, 0];
  for (const [item, record] of records.entries())
    for (const { amount } of scorer.explain({ events: own, attributes: tokens }, item)) {
      total += Math.max(0, amount);
      if (carries(record, name, value)) reached += Math.max(0, amount);
    }
  for (const [event, item] of events.item.entries()) {
    if (events.type[event] !== 0) continue;
    const isOwn = event >= from! && event < to!;
    const worth = events.value[event]!;
    const isOn = carries(records[item], name, value);
    everybody += worth;
    if (isOn) everybodyOn += worth;
    if (isOwn) all += worth;
    if (isOwn && isOn) on += worth;
  }
  const share = total > 0 ? reached / total : everybody > 0 ? everybodyOn / everybody : 0;
  return all + k === 0 ? share : (on + k * share) / (all + k);
}

const users = ({ snapshot }: Case) => Array.from({ length: snapshot.events.users }, (_, user) => user);
/** Weights are kept in 32 bits. */
const digits = 5;

describe('an affinity', () => {
  test('matches its definition for any user, value, model and k, and is from 0 to 1', () => {
    fc.assert(
      fc.property(anyCase, (made) => {
        const affinity = new AffinityReader(made.snapshot, modelOf(made.model));
        for (const [name, value] of asked) {
          const numbers = findValues(made.snapshot.values, name, value);
          if (numbers.length === 0) continue;
          const affinityOf = affinity.of(numbers);
          for (const user of users(made)) {
            expect(affinityOf(user)).toBeCloseTo(plainAffinity(made, user, name, value), digits);
            expect(affinityOf(user) >= 0 && affinityOf(user) <= 1).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is exactly 1 for a value that every item has', () => {
    fc.assert(
      fc.property(anyCase, (made) => {
        const { model, snapshot } = made;
        const { type, value } = snapshot.events;
        // Where nobody has a target event that weighs anything, there is no share of it.
        fc.pre(value.some((worth, event) => worth > 0 && type[event] === 0));
        const builder = new ItemValuesBuilder();
        for (let item = 0; item < model.items; item++) builder.add({ all: 'yes' });
        const values = builder.build();
        const affinityOf = new AffinityReader({ ...snapshot, values }, modelOf(model)).of(
          findValues(values, 'all', 'yes'),
        );
        expect(users(made).filter((user) => affinityOf(user) !== 1)).toEqual([]);
      }),
    );
  });
});

describe('users', () => {
  test('within all bounds, which are inclusive, are listed with their affinities', () => {
    const bound = fc.constantFrom(0, 0.25, 0.5, 1, Number.NaN);
    const condition = fc.record({ at: fc.nat(99), lower: bound, upper: bound, exact: fc.nat(11) });
    fc.assert(
      fc.property(anyCase, fc.array(condition, { maxLength: 3 }), (made, wanted) => {
        const affinity = new AffinityReader(made.snapshot, modelOf(made.model));
        const count = made.snapshot.values.texts.ends.length;
        if (count === 0 || made.snapshot.events.users === 0) return;
        const affinityOf = (user: number, value: number) => affinity.of([value])(user);
        const conditions = wanted.map(({ at, lower, upper, exact }) => {
          const value = at % count;
          // A bound that is some user's affinity to the last bit.
          const edge = affinityOf(exact % made.snapshot.events.users, value);
          return {
            values: [value],
            lower: Number.isNaN(lower) ? edge : lower,
            upper: Number.isNaN(upper) ? edge : upper,
          };
        });
        const expected = users(made)
          .map((user) => ({ user, affinities: conditions.map(({ values }) => affinityOf(user, values[0]!)) }))
          .filter(({ affinities }) =>
            affinities.every(
              (own, place) => conditions[place]!.lower <= own && own <= conditions[place]!.upper,
            ),
          );
        expect([...listUsers(affinity, conditions)]).toEqual(expected);
      }),
    );
  });

  test('are in exactly one bin each, also on an edge and at 1', () => {
    fc.assert(
      fc.property(anyCase, fc.integer({ min: 1, max: 60 }), (made, bins) => {
        const affinity = new AffinityReader(made.snapshot, modelOf(made.model));
        for (let value = 0; value < made.snapshot.values.texts.ends.length; value++) {
          const { edges, counts } = distributeUsers(affinity, [value], bins);
          const affinityOf = affinity.of([value]);
          const own = users(made).map(affinityOf);
          const isLast = (bin: number) => bin === bins - 1;
          expect(counts).toEqual(
            Array.from(
              { length: bins },
              (_, bin) =>
                own.filter((one) => one >= edges[bin]! && (isLast(bin) ? one <= 1 : one < edges[bin + 1]!))
                  .length,
            ),
          );
          expect(counts.reduce((sum, one) => sum + one, 0)).toBe(own.length);
          expect([edges[0], edges.at(-1), edges.length]).toEqual([0, 1, bins + 1]);
        }
      }),
    );
  });

  test('with an item that lacks the attribute are counted', () => {
    fc.assert(
      fc.property(anyCase, (made) => {
        const { events } = made.snapshot;
        for (const name of ['x', 'nobody has it']) {
          const expected = users(made).filter((user) =>
            [...events.item.entries()].some(
              ([event, item]) =>
                event >= events.offsets[user]! &&
                event < events.offsets[user + 1]! &&
                events.type[event] === 0 &&
                [made.records[item]?.[name]].flat().every((value) => value === undefined),
            ),
          );
          expect(countUsersWithout(made.snapshot, name)).toBe(expected.length);
        }
      }),
    );
  });
});

/** A training's data with a value that follows taste, and one that nothing tells; and a model that has not seen the held-out part. */
async function learned(ordered: boolean, perUser: number) {
  const events = syntheticEvents({ users: 400, items: 80, perUser, ordered, seed: 3 });
  const builder = new ItemValuesBuilder();
  for (let item = 0; item < events.items; item++) builder.add({ taste: item % 4, noise: (item * 7919) % 13 });
  const split = holdOut(events, ordered ? 'tail' : 'random');
  const users = Array.from({ length: events.users }, (_, user) => user).filter(
    (user) => !split.coldUsers.includes(user),
  );
  const model = await fitModel({ events: split.train }, sequential, { lambda: 10 });
  const data = { events, split, users, values: builder.build() };
  return { data, model, predictor: predictorOf(model) };
}

/** The same data with each event's value times `factor`. */
function scaled({ events, split, ...data }: Awaited<ReturnType<typeof learned>>['data'], factor: number) {
  const times = <Part extends { value: Float32Array }>(part: Part) => ({
    ...part,
    value: part.value.map((value) => value * factor),
  });
  return { ...data, events: times(events), split: { ...split, train: times(split.train) } };
}

function valuesOfTaste(items: number) {
  const builder = new ItemValuesBuilder();
  for (let item = 0; item < items; item++) builder.add({ taste: item % 4 });
  return builder.build();
}

describe('the prior strength k', () => {
  test.each([true, false])('is deterministic (ordered: %s)', async (ordered) => {
    const { data, predictor } = await learned(ordered, 12);
    const k = choosePriorStrength(data, predictor);
    expect(k).toBeGreaterThan(0);
    expect(choosePriorStrength(data, predictor)).toBe(k);
  });

  test('is ten events of the mean value without data to choose on: no attributes, no user with four events, or no users', async () => {
    const { data, predictor } = await learned(true, 12);
    const { item, type, value } = data.split.train;
    const worths = Array.from(value).filter((worth, event) => type[event] === 0 && worth > 0);
    expect(item.length).toBeGreaterThan(worths.length / 2);
    const ten = (10 * worths.reduce((sum, worth) => sum + worth, 0)) / worths.length;
    expect(choosePriorStrength({ ...data, values: new ItemValuesBuilder().build() }, predictor)).toBe(ten);
    expect(choosePriorStrength({ ...data, users: [] }, predictor)).toBe(ten);
    const few = await learned(true, 3);
    const none = choosePriorStrength({ ...few.data, users: [] }, few.predictor);
    expect(choosePriorStrength(few.data, few.predictor)).toBe(none);
  });

  test.each([1 / 64, 64])('is in the unit of event values: times %d with values that are', async (factor) => {
    const { data, predictor } = await learned(true, 12);
    const k = choosePriorStrength(data, predictor);
    const ratio = choosePriorStrength(scaled(data, factor), predictor) / (factor * k);
    expect(Math.abs(Math.log2(ratio))).toBeLessThan(1);
  });

  test('makes held-out events likelier than a tenth and ten times of it', async () => {
    const { data, model, predictor } = await learned(true, 12);
    const { events, split, users, values } = data;
    const k = choosePriorStrength(data, predictor);
    const ids = packTexts(Array.from({ length: events.users }, (_, user) => `u${user}`));
    const seen = { ...knownUsers({ userIds: ids, events: split.train }), values };
    const likelihood = (priorStrength: number) => {
      const affinity = new AffinityReader({ ...seen, priorStrength }, modelOf(model));
      let sum = 0;
      for (let value = 0; value < values.texts.ends.length; value++) {
        const affinityOf = affinity.of([value]);
        const items = new Set(values.carrier.slice(values.offsets[value], values.offsets[value + 1]));
        // Users without an event left are not in the snapshot: the others are numbered without them.
        for (const [place, user] of users.entries()) {
          const later = Array.from(events.item.slice(events.offsets[user], events.offsets[user + 1])).filter(
            (_, index) => split.heldOut[events.offsets[user]! + index] === 1,
          );
          const then = later.filter((item) => items.has(item)).length / later.length;
          const own = Math.min(1 - 1e-4, Math.max(1e-4, affinityOf(place)));
          sum += then * Math.log(own) + (1 - then) * Math.log(1 - own);
        }
      }
      return sum;
    };
    for (const other of [k / 10, k * 10]) expect(likelihood(k)).toBeGreaterThan(likelihood(other));
  });

  test('lets much evidence carry an affinity above .8 where users keep to their tastes, whatever the unit', async () => {
    const { data } = await learned(true, 12);
    const { offsets, item } = data.events;
    for (let user = 0; user < data.events.users; user++)
      for (let event = offsets[user]!; event < offsets[user + 1]!; event++) {
        const own = item[event]! - (item[event]! % 4) + (user % 4);
        item[event] = Math.min(data.events.items - 1, own);
      }
    const values = valuesOfTaste(data.events.items);
    // It knows nothing of the users.
    const nothing = () => () => ({ reached: [1, 1, 1, 1], total: 4 });
    const k = choosePriorStrength(scaled({ ...data, values }, 1 / 64), nothing);
    expect(blend(12 / 64, 12 / 64, 1 / 4, k)).toBeGreaterThan(0.8);
  });

  test('has no ceiling: where many users choose by chance, their few events hardly move the prediction', async () => {
    const { data, predictor } = await learned(true, 12);
    const chance = new ItemValuesBuilder();
    for (let item = 0; item < data.events.items; item++) chance.add({ chance: (item * 7919) % 13 });
    const values = chance.build();
    expect(choosePriorStrength({ ...data, values }, predictor)).toBeGreaterThan(100);
    // A few users are not enough to say so.
    const few = { ...data, values, users: data.users.slice(0, 4) };
    expect(choosePriorStrength(few, predictor)).toBeLessThan(100);
  });

  test('is also chosen by the search with several event types, hints and user attributes', async () => {
    const data = syntheticData();
    const builder = new ItemValuesBuilder();
    for (let item = 0; item < data.events.items; item++) builder.add({ taste: item % 4 });
    const { priorStrength } = await train(data, sequential, { values: builder.build() });
    expect(priorStrength).toBeGreaterThan(0);
    expect(priorStrength).not.toBe(10);
  });
});
