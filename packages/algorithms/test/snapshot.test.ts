import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowOf } from '../src/data/incidence.ts';
import {
  type AttributeRecord,
  carriersOf,
  decodeSnapshot,
  encodeSnapshot,
  findValues,
  ItemValuesBuilder,
  knownUsers,
  ModelFileError,
  packTexts,
  type Scalar,
  type TasteSnapshot,
  textAt,
  valuesOf,
} from '../src/index.ts';
import { syntheticData } from './synthetic-data.ts';

function valuesFrom(records: readonly AttributeRecord[], declared: readonly string[] = []) {
  const builder = new ItemValuesBuilder(declared);
  for (const record of records) builder.add(record);
  return { values: builder.build(), ignoredValues: builder.ignoredValues };
}

function syntheticSnapshot(): TasteSnapshot {
  const { events, userAttributes } = syntheticData();
  const ids = packTexts(
    Array.from({ length: events.users }, (_, user) => `${['', '\ufeff', '商'][user % 3]!}${user}`),
  );
  const records = Array.from({ length: events.items }, (_, item) => ({
    parity: item % 2,
    tags: ['é', `t${item % 5}`],
  }));
  return {
    ...knownUsers({ userIds: ids, events, userAttributes }),
    values: valuesFrom(records).values,
    priorStrength: 5,
  };
}

const fileOf = (snapshot: TasteSnapshot) => Buffer.concat([...encodeSnapshot(snapshot)]);

describe('a snapshot file', () => {
  test('round-trips to the byte, at any address', () => {
    const snapshot = syntheticSnapshot();
    const file = fileOf(snapshot);
    for (const offset of [0, 1, 8]) {
      const memory = new Uint8Array(new SharedArrayBuffer(file.length + offset));
      memory.set(file, offset);
      const read = decodeSnapshot(memory.subarray(offset));
      expect(fileOf(read).equals(file)).toBe(true);
      expect([read.priorStrength, read.values.names, textAt(read.userIds, 1)]).toEqual([
        5,
        ['parity', 'tags'],
        '\ufeff1',
      ]);
    }
  });

  test('is refused if it is truncated or modified anywhere', () => {
    const file = fileOf(syntheticSnapshot());
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        expect(() => decodeSnapshot(file.subarray(0, place))).toThrow(ModelFileError);
        const damaged = Buffer.from(file);
        damaged[place]! ^= change;
        expect(() => decodeSnapshot(damaged)).toThrow(ModelFileError);
      }),
      { numRuns: 60 },
    );
  });

  test('is not written if its parts are inconsistent', () => {
    const snapshot = syntheticSnapshot();
    const { events, values, userAttributes } = snapshot;
    const flawed: Partial<TasteSnapshot>[] = [
      { userIds: packTexts(['only one']) },
      { events: { ...events, item: events.item.map(() => events.items) } },
      { events: { ...events, value: events.value.subarray(1) } },
      { values: { ...values, carrier: values.carrier.subarray(1) } },
      { values: { ...values, names: ['parity'] } },
      { userAttributes: { ...userAttributes, columns: 1 } },
      { priorStrength: Number.NaN },
    ];
    for (const flaw of flawed)
      expect(() => [...encodeSnapshot({ ...snapshot, ...flaw })]).toThrow(ModelFileError);
  });

  test('contains the users with an event that is used and those with a record, in byte order', () => {
    const { events, userAttributes } = syntheticData();
    // Users 0 and 2 of four have events: the first two runs of the made ones.
    const offsets = Uint32Array.of(0, 10, 10, 20, 20);
    const some = {
      ...events,
      users: 4,
      offsets,
      item: events.item.slice(0, 20),
      type: events.type.slice(0, 20),
    };
    const active = { userIds: packTexts(['a', 'b', 'c', 'd']), events: some, userAttributes };
    const read = knownUsers(active);
    expect(read.events).toEqual({ ...some, users: 2, offsets: Uint32Array.of(0, 10, 20) });
    expect([0, 1].map((user) => textAt(read.userIds, user))).toEqual(['a', 'c']);
    expect([...read.userAttributes.column]).toEqual([0, 2]);
    expect([...read.userAttributes.offsets]).toEqual([0, 1, 2]);

    const recorded = ['A', 'aa', 'c', 'd', 'ü'];
    const all = knownUsers(active, {
      userIds: packTexts(recorded),
      userAttributes: {
        rows: 5,
        columns: 4,
        offsets: Uint32Array.of(0, 1, 1, 2, 3, 5),
        column: Uint32Array.of(3, 2, 3, 0, 1),
      },
    });
    const users = Array.from({ length: all.events.users }, (_, user) => user);
    expect(users.map((user) => textAt(all.userIds, user))).toEqual(['A', 'a', 'aa', 'c', 'd', 'ü']);
    expect([...all.events.offsets]).toEqual([0, 0, 10, 10, 20, 20, 20]);
    expect(users.map((user) => [...rowOf(all.userAttributes, user)])).toEqual([
      [3],
      [0],
      [],
      [2],
      [3],
      [0, 1],
    ]);
  });
});

const scalar = fc.oneof(
  fc.constantFrom('a', 'b', '1', 'true', ''),
  fc.constantFrom(0, 1, -0, 1.5, 1e21),
  fc.boolean(),
);
const attribute = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }), fc.constant(null));
const names = ['a', 'b', '__proto__x', 'é'];
const record = fc.dictionary(fc.constantFrom(...names), attribute) as fc.Arbitrary<AttributeRecord>;

describe('item values', () => {
  test('are those of the records, each with the items that have it', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), (records) => {
        const { values } = valuesFrom(records);
        const carry = (name: string, value: Scalar) =>
          records.flatMap((each, item) => {
            const own = [each[name]].flat().filter((one) => one !== undefined && one !== null);
            return own.some((one) => String(one) === String(value)) ? [item] : [];
          });
        const carried = names.filter((name) =>
          records.some((each) => ![undefined, null].includes([each[name]].flat()[0] as null)),
        );
        expect(values.names).toEqual(carried.toSorted());
        for (const name of names)
          for (const value of ['a', 'b', '1', 'true', '', 'c', 0, 1, 1.5, 1e21, true, false]) {
            const numbers = findValues(values, name, value);
            const carriers = numbers.flatMap((number) => [...carriersOf(values, number)]);
            expect([...new Set(carriers)].toSorted((a, b) => a - b)).toEqual(carry(name, value));
            expect(
              [...valuesOf(values, name)].filter((one) => String(one.value) === String(value)),
            ).toMatchObject(
              numbers.map((number) => ({ number, items: [...carriersOf(values, number)].length })),
            );
          }
      }),
    );
  });

  test('are distinguished, however many there are', () => {
    const records = Array.from({ length: 5000 }, (_, item) => ({
      id: `id ${item}`,
      bin: item % 7,
      list: [item, item],
    }));
    const { values } = valuesFrom(records);
    for (const item of [0, 1, 2500, 4999]) {
      expect([...carriersOf(values, findValues(values, 'id', `id ${item}`)[0]!)]).toEqual([item]);
      expect([...carriersOf(values, findValues(values, 'list', item)[0]!)]).toEqual([item]);
    }
    expect(carriersOf(values, findValues(values, 'bin', 3)[0]!)).toHaveLength(714);
  });

  test('exclude long texts and names beyond one thousand, but no declared names', () => {
    const long = 'x'.repeat(257);
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`n${index}`, 1]));
    const { values, ignoredValues } = valuesFrom(
      [{ text: long, short: long.slice(1) }, many, { declared: 1 }],
      ['declared'],
    );
    expect(values.names).toHaveLength(999);
    expect(ignoredValues).toBe(1200 - 997);
    expect([...valuesOf(values, 'text')]).toEqual([]);
    expect(findValues(values, 'text', long)).toEqual([]);
    expect(findValues(values, 'short', long.slice(1))).toHaveLength(1);
    expect(findValues(values, 'declared', 1)).toHaveLength(1);
  });
});
