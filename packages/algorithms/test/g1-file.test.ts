import { describe, expect, test } from 'vitest';
import { readContainer, writeContainer } from '../src/container.ts';
import { noFactors } from '../src/g1/fit/stored-factors.ts';
import { decodeModel, encodeModel, fitModel, type G1Model, G1Scorer } from '../src/g1/index.ts';
import { kind } from '../src/g1/model/file.ts';
import { algorithmOfFile, type Catalogue, ModelFileError, sequential } from '../src/index.ts';
import { fileOf, namesOf, storedArrays, syntheticData, syntheticEvents, userOf } from './synthetic-data.ts';

const model = fitModel(syntheticData(), sequential);
/** Without what version 3 added. */
const plain = fitModel(syntheticData(), sequential, { map: null });

/** The layout before there was a low-rank part. */
const versionTwo = {
  magic: kind.magic,
  version: 2,
  arrays: {
    offsets: 'u32',
    target: 'u32',
    rowScale: 'f32',
    popularity: 'f32',
    value: 'i8',
    itemIdEnds: 'u32',
    itemIdBytes: 'u8',
  },
} as const;

const factorsOf = (items: number, rank: number) => ({
  rank,
  factor: Int8Array.from({ length: items * rank }, (_, place) => (place % 255) - 127),
  source: new Float32Array(items).fill(0.5),
  target: new Float32Array(items).fill(0.25),
});

describe('a model file', () => {
  test('round-trips to the byte, with its names and recommendations', async () => {
    const file = fileOf(await model);
    const read = decodeModel(file);
    expect(decodeModel(file, { isChecked: true })).toEqual(read);
    expect(read.catalogue).toEqual(namesOf(await model));
    expect(fileOf(read.model, read.catalogue).equals(file)).toBe(true);
    const user = userOf([3, 5, 8], [1]);
    expect(new G1Scorer(read.model).recommend(user, { n: 10 })).toEqual(
      new G1Scorer(await model).recommend(user, { n: 10 }),
    );
  });

  test('has version 3 only if it has a low-rank part or a map, so that the previous release reads the others', async () => {
    const without = fileOf(await plain);
    expect(without[4]).toBe(2);
    expect(decodeModel(without).model.lowRank).toEqual(noFactors);
    const lowRank = factorsOf((await plain).items, 3);
    const file = fileOf({ ...(await plain), lowRank });
    expect(file[4]).toBe(3);
    expect(decodeModel(file).model.lowRank).toEqual(lowRank);
    expect(algorithmOfFile(file).type).toBe('G1');
  });

  test('of version 2, as the previous release wrote it, is read', async () => {
    const file = fileOf(await plain);
    const { arrays, header } = readContainer(versionTwo, file);
    const earlier = Buffer.concat([...writeContainer(versionTwo, header as object, arrays)]);
    expect(earlier.equals(file)).toBe(true);
    expect(decodeModel(earlier).model).toEqual(await plain);
  });

  test('can be read at any address, in shared memory or not', async () => {
    const file = fileOf(await plain);
    for (const offset of [0, 1, 8]) {
      const memory = new Uint8Array(new SharedArrayBuffer(file.length + offset));
      memory.set(file, offset);
      expect(decodeModel(memory.subarray(offset)).model.target).toEqual((await plain).target);
    }
  });

  test('is written in chunks of at most 1 MiB, in memory that is not shared', async () => {
    const large = await fitModel(
      { events: syntheticEvents({ users: 3000, items: 3000, perUser: 60 }) },
      sequential,
      { k: 200, lambda: 1 },
    );
    const blocks = [...encodeModel(large, namesOf(large))];
    expect(Math.max(...blocks.map(({ length }) => length))).toBe(2 ** 20);
    expect(blocks.every(({ buffer }) => buffer instanceof ArrayBuffer)).toBe(true);
    expect(decodeModel(Buffer.concat(blocks)).model.target).toEqual(large.target);
  });

  test('can be empty', async () => {
    const empty = await fitModel({ events: syntheticEvents({ users: 0, items: 0, perUser: 0 }) }, sequential);
    expect(decodeModel(fileOf(empty)).model).toEqual(empty);
  });
});

describe('a model file is refused', () => {
  test('if it is truncated anywhere', async () => {
    const file = fileOf(await model);
    for (let length = 0; length < file.length; length += 97)
      expect(() => decodeModel(file.subarray(0, length))).toThrow(ModelFileError);
    expect(() => decodeModel(file.subarray(0, -1))).toThrow(ModelFileError);
    expect(() => decodeModel(Buffer.concat([file, Buffer.alloc(8)]))).toThrow(ModelFileError);
  });

  test('by its first bytes alone, if it is of another kind or release', async () => {
    const file = fileOf(await model);
    expect(() => algorithmOfFile(file.subarray(0, 8))).not.toThrow();
    expect(() => algorithmOfFile(file.subarray(0, 7))).toThrow('too short');
    expect(() => algorithmOfFile(Buffer.from('something else'))).toThrow('not a model');
    for (const version of [1, 4]) {
      file[4] = version;
      expect(() => algorithmOfFile(file)).toThrow('this release reads version');
    }
  });

  test('if any bit is changed', async () => {
    const file = fileOf(await model);
    // Every bit of the beginning and the end, and one in every 97 bytes between.
    const ends = [...Array(64).keys()].flatMap((byte) => [byte, file.length - 1 - byte]);
    const between = Array.from({ length: Math.floor(file.length / 97) }, (_, index) => index * 97);
    const flips = [
      ...ends.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => [byte, bit] as const)),
      ...between.map((byte) => [byte, byte % 8] as const),
    ];
    for (const [byte, bit] of flips) {
      file[byte]! ^= 1 << bit;
      expect(() => decodeModel(file)).toThrow(ModelFileError);
      file[byte]! ^= 1 << bit;
    }
    expect(() => decodeModel(file)).not.toThrow();
  });

  const flaws: [string, (model: G1Model, names: Catalogue) => [G1Model, Catalogue]][] = [
    ['an id too few', (of, names) => [of, { ...names, itemIds: names.itemIds.slice(1) }]],
    ['codes for other attributes', (of, names) => [of, { ...names, userCodes: [] }]],
    ['another target first', (of, names) => [of, { ...names, targetEventType: 'type 1' }]],
    ['rows that end early', (of, names) => [{ ...of, target: of.target.subarray(1) }, names]],
    ['a row that ends before it begins', (of, names) => [{ ...of, offsets: of.offsets.with(1, 1e6) }, names]],
    [
      'factors that do not fit its items',
      (of, names) => [{ ...of, lowRank: factorsOf(of.items - 1, 3) }, names],
    ],
    [
      'pairs that have no rows',
      (of, names) => [
        { ...of, pairs: { offsets: new Uint32Array(of.items + 1).fill(1, 1), earlier: Uint32Array.of(0) } },
        names,
      ],
    ],
    ['items that are not there', (of, names) => [{ ...of, target: of.target.map(() => of.items) }, names]],
  ];
  test.each(flaws)('by the writer: %s', async (_, flaw) => {
    const [broken, names] = flaw(await model, namesOf(await model));
    expect(() => encodeModel(broken, names)).toThrow(ModelFileError);
  });

  test('by the reader, if its checksum is valid but its parts are not those of a model', async () => {
    const arrays = storedArrays(await model);
    const few = { magic: kind.magic, version: 2, arrays: { offsets: 'u32' } } as const;
    const short = Buffer.concat([...writeContainer(few, {}, { offsets: arrays.offsets })]);
    expect(() => decodeModel(short)).toThrow('The model has another header');
    const ids = { itemIdEnds: new Uint32Array(0), itemIdBytes: new Uint8Array(0) };
    const headless = Buffer.concat([...writeContainer(kind, {}, { ...arrays, ...ids })]);
    expect(() => decodeModel(headless)).toThrow('The model has another header');
  });

  test('if an ID cannot be encoded in UTF-8', async () => {
    const names = namesOf(await model);
    const itemIds = names.itemIds.with(0, '\ud800');
    const of = await model;
    expect(() => encodeModel(of, { ...names, itemIds })).toThrow(TypeError);
  });
});
