import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AttributeRecord,
  chooseEvidence,
  countUsersWithout,
  distributeUsers,
  findValue,
  fitModel,
  type G1Model,
  G1Scorer,
  InteractionsBuilder,
  ItemValuesBuilder,
  keepActiveUsers,
  listUsers,
  packTexts,
  sequential,
  type TasteSnapshot,
  Usage,
} from '../src/index.ts';
import { madeData, madeEvents } from './made-data.ts';

interface Case {
  readonly model: G1Model;
  readonly snapshot: TasteSnapshot;
  readonly records: readonly AttributeRecord[];
}

const types = 3;
const attributes = 3;

/** Any model and any snapshot that fit together, whether a training would end in them or not. */
const anyCase: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 8 }).chain((items) => {
  const rows = items + 2 * attributes + 1;
  const entry = fc.tuple(fc.nat(items - 1), fc.integer({ min: -127, max: 127 }));
  const event = fc.tuple(
    fc.nat(items - 1),
    fc.nat(types - 1),
    fc.constantFrom(0, 0.5, 1, 3, 1e30, 1e-30).map(Math.fround),
  );
  const value = fc.constantFrom('a', 'b', 1, true);
  return fc
    .record({
      parameters: fc.record({
        recency: fc.constantFrom(0, 0.5),
        hint: fc.constantFrom(0, 1),
        attributeWeight: fc.constantFrom(0, 1),
      }),
      eventScale: fc.array(fc.constantFrom(0, 0.3, 1), { minLength: types, maxLength: types }),
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
      evidence: fc.constantFrom(0, 1, 10, 1e6),
    })
    .map(({ parameters, eventScale, matrix, scale, histories, records, evidence }) => {
      const sorted = matrix.map((row) => row.toSorted(([a], [b]) => a - b));
      const offsetsOf = (lists: readonly (readonly unknown[])[]) =>
        Uint32Array.from(lists.reduce<number[]>((sums, list) => [...sums, sums.at(-1)! + list.length], [0]));
      const model = {
        parameters: parameters as G1Model['parameters'],
        ...{ items, attributes, eventScale },
        offsets: offsetsOf(sorted),
        target: Uint32Array.from(sorted.flat(), ([item]) => item),
        value: Int8Array.from(sorted.flat(), ([, entryValue]) => entryValue),
        rowScale: Float32Array.from(scale),
        popularity: new Float32Array(items),
      };
      const events = histories.map(([list]) => list);
      const builder = new ItemValuesBuilder();
      for (const record of records) builder.add(record);
      const snapshot = {
        userIds: packTexts(histories.map((_, user) => `u${user}`)),
        events: {
          ...{ users: histories.length, items, ordered: true, offsets: offsetsOf(events) },
          item: Uint32Array.from(events.flat(), ([item]) => item),
          type: Uint8Array.from(events.flat(), ([, type]) => type),
          value: Float32Array.from(events.flat(), ([, , worth]) => worth),
        },
        userAttributes: {
          ...{
            rows: histories.length,
            columns: attributes,
            offsets: offsetsOf(histories.map(([, tokens]) => tokens)),
          },
          column: Uint32Array.from(histories.flatMap(([, tokens]) => tokens)),
        },
        values: builder.build(),
        evidence,
      };
      return { model, snapshot, records };
    });
});

const asked = ['x', 'y'].flatMap((name) => ['a', 'b', 1, true].map((value) => [name, value] as const));

const carries = (record: AttributeRecord | undefined, name: string, value: unknown) =>
  [record?.[name]].flat().includes(value as string);

/** By the definition: each item's score is explained, term by term, for each user. */
function plainUsage({ model, snapshot, records }: Case, user: number, name: string, value: unknown): number {
  const { events, userAttributes, evidence: k } = snapshot;
  const scorer = new G1Scorer(model);
  const [from, to] = [events.offsets[user], events.offsets[user + 1]];
  const own = {
    item: events.item.slice(from, to),
    type: events.type.slice(from, to),
    value: events.value.slice(from, to),
  };
  const tokens = [
    ...userAttributes.column.slice(userAttributes.offsets[user], userAttributes.offsets[user + 1]),
  ];
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

describe('a usage', () => {
  test('is what its definition says, for any user, value, model and k, and never beyond 0 and 1', () => {
    fc.assert(
      fc.property(anyCase, (made) => {
        const usage = new Usage(made.snapshot, made.model);
        for (const [name, value] of asked) {
          const number = findValue(made.snapshot.values, name, value);
          if (number === undefined) continue;
          const usageOf = usage.of(number);
          for (const user of users(made)) {
            expect(usageOf(user)).toBeCloseTo(plainUsage(made, user, name, value), digits);
            expect(usageOf(user) >= 0 && usageOf(user) <= 1).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is exactly 1 of what every item carries', () => {
    fc.assert(
      fc.property(anyCase, (made) => {
        const { model, snapshot } = made;
        const { type, value } = snapshot.events;
        // Where nobody has a target event that weighs anything, there is no share of it.
        fc.pre(value.some((worth, event) => worth > 0 && type[event] === 0));
        const builder = new ItemValuesBuilder();
        for (let item = 0; item < model.items; item++) builder.add({ all: 'yes' });
        const values = builder.build();
        const usageOf = new Usage({ ...snapshot, values }, model).of(findValue(values, 'all', 'yes')!);
        expect(users(made).filter((user) => usageOf(user) !== 1)).toEqual([]);
      }),
    );
  });
});

describe('users', () => {
  test('are listed who keep all bounds, both inclusive, with their usages', () => {
    const bound = fc.constantFrom(0, 0.25, 0.5, 1, Number.NaN);
    const condition = fc.record({ at: fc.nat(99), lower: bound, upper: bound, exact: fc.nat(11) });
    fc.assert(
      fc.property(anyCase, fc.array(condition, { maxLength: 3 }), (made, wanted) => {
        const usage = new Usage(made.snapshot, made.model);
        const count = made.snapshot.values.texts.ends.length;
        if (count === 0 || made.snapshot.events.users === 0) return;
        const usageOf = (user: number, value: number) => usage.of(value)(user);
        const conditions = wanted.map(({ at, lower, upper, exact }) => {
          const value = at % count;
          // A bound that is some user's usage to the last bit.
          const edge = usageOf(exact % made.snapshot.events.users, value);
          return {
            value,
            lower: Number.isNaN(lower) ? edge : lower,
            upper: Number.isNaN(upper) ? edge : upper,
          };
        });
        const expected = users(made)
          .map((user) => ({ user, usages: conditions.map(({ value }) => usageOf(user, value)) }))
          .filter(({ usages }) =>
            usages.every((own, place) => conditions[place]!.lower <= own && own <= conditions[place]!.upper),
          );
        expect([...listUsers(usage, conditions)]).toEqual(expected);
      }),
    );
  });

  test('are each in one bin, by its edges, also on an edge and at 1', () => {
    fc.assert(
      fc.property(anyCase, fc.integer({ min: 1, max: 60 }), (made, bins) => {
        const usage = new Usage(made.snapshot, made.model);
        for (let value = 0; value < made.snapshot.values.texts.ends.length; value++) {
          const { edges, counts } = distributeUsers(usage, value, bins);
          const usageOf = usage.of(value);
          const own = users(made).map(usageOf);
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

  test('are counted who had an item without the attribute', () => {
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

/** A training's data with a value that follows taste, and one that nothing tells. */
async function learned(ordered: boolean, perUser: number) {
  const events = madeEvents({ users: 400, items: 80, perUser, ordered, seed: 3 });
  const builder = new ItemValuesBuilder();
  for (let item = 0; item < events.items; item++) builder.add({ taste: item % 4, noise: (item * 7919) % 13 });
  const ids = packTexts(Array.from({ length: events.users }, (_, user) => `u${user}`));
  const content = { ...keepActiveUsers(ids, events, undefined), values: builder.build() };
  return { content, model: await fitModel({ events }, sequential, { lambda: 10 }) };
}

describe('k', () => {
  test.each([true, false])('is one of the few, the same each time (ordered: %s)', async (ordered) => {
    const { content, model } = await learned(ordered, 12);
    const k = chooseEvidence(content, model);
    expect([1, 2, 5, 10, 20, 50]).toContain(k);
    expect(chooseEvidence(content, model)).toBe(k);
  });

  test('is 10 where there is nothing to choose by: no attributes, no user with four events', async () => {
    const { content, model } = await learned(true, 12);
    expect(chooseEvidence({ ...content, values: new ItemValuesBuilder().build() }, model)).toBe(10);
    const few = await learned(true, 3);
    expect(chooseEvidence(few.content, few.model)).toBe(10);
    const builder = new InteractionsBuilder();
    const nobody = {
      ...content,
      ...keepActiveUsers(packTexts([]), builder.build({ ordered: true, items: 80 }), undefined),
    };
    expect(chooseEvidence(nobody, model)).toBe(10);
  });

  test('makes the hidden half of the events better predicted than observation or prediction alone would', async () => {
    const { content, model } = await learned(true, 12);
    const k = chooseEvidence(content, model);
    const error = (evidence: number) => {
      // Of each user the first six of twelve events are seen, and six are to be told.
      const { events } = content;
      const isSeen = (event: number) => event % 12 < 6;
      const seen = {
        ...events,
        offsets: events.offsets.map((offset) => offset / 2),
        item: events.item.filter((_, event) => isSeen(event)),
        type: events.type.slice(0, events.item.length / 2),
        value: events.value.slice(0, events.item.length / 2),
      };
      const usage = new Usage({ ...content, events: seen, evidence }, model);
      let sum = 0;
      for (let value = 0; value < content.values.texts.ends.length; value++) {
        const usageOf = usage.of(value);
        const items = new Set(
          content.values.carrier.slice(content.values.offsets[value], content.values.offsets[value + 1]),
        );
        for (let user = 0; user < events.users; user++) {
          const later = [...events.item.slice(user * 12 + 6, user * 12 + 12)];
          sum += (usageOf(user) - later.filter((item) => items.has(item)).length / 6) ** 2;
        }
      }
      return sum;
    };
    const errors = new Map([0, 1, 2, 5, 10, 20, 50, 1e9].map((each) => [each, error(each)]));
    expect(errors.get(k)).toBe(Math.min(...[1, 2, 5, 10, 20, 50].map((each) => errors.get(each)!)));
    expect(errors.get(k)).toBeLessThan(errors.get(0)!);
    expect(errors.get(k)).toBeLessThan(errors.get(1e9)!);
  });

  test('is chosen with types, hints and user attributes too', async () => {
    const data = madeData();
    const builder = new ItemValuesBuilder();
    for (let item = 0; item < data.events.items; item++) builder.add({ taste: item % 4 });
    const ids = packTexts(Array.from({ length: data.events.users }, (_, user) => `u${user}`));
    const content = { ...keepActiveUsers(ids, data.events, data.userAttributes), values: builder.build() };
    expect([1, 2, 5, 10, 20, 50]).toContain(chooseEvidence(content, await fitModel(data, sequential)));
  });
});
