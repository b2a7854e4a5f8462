import { describe, expect, test } from 'vitest';
import { train } from '../src/g1/index.ts';
import {
  type AttributeRecord,
  countTokens,
  encodeAll,
  encoder,
  learnCodes,
  packVector,
  seededRandom,
  sequential,
} from '../src/index.ts';
import { syntheticEvents } from './synthetic-data.ts';

const tastes = 4;
const items = 160;
const events = syntheticEvents({ users: 600, items, perUser: 12, ordered: true });
const length = 24;

/** Vectors around one direction per taste, or around any; the rest of an item says nothing. */
function recordsOf(saysTaste: boolean): AttributeRecord[] {
  const random = seededRandom(3);
  const directions = Array.from({ length: tastes }, () => Array.from({ length }, () => random() - 0.5));
  return Array.from({ length: items }, (_, item) => {
    const taste = saysTaste ? item % tastes : Math.floor(random() * tastes);
    const embedding = directions[taste]!.map((one) => 3 * one + 0.5 * (random() - 0.5));
    return { noise: String(Math.floor(random() * 2)), embedding };
  });
}

const attributes = [
  { name: 'noise', kind: 'CATEGORICAL' },
  { name: 'embedding', kind: { vectorLength: length } },
] as const;

function dataOf(records: readonly AttributeRecord[]) {
  const codes = learnCodes(attributes, records);
  const itemColumns = { vectors: countTokens(codes.slice(0, 1)) };
  return { codes, data: { events, itemAttributes: encodeAll(codes, records), itemColumns } };
}

describe('a packed vector', () => {
  test('has its direction, whatever its size', () => {
    expect(packVector([0.5, -1, 0], 3)).toEqual(Int8Array.of(64, -127, 0));
    expect(packVector([5e-300, -1e-299, 0], 3)).toEqual(packVector([5e299, -1e300, 0], 3));
    const packed = packVector([1, 2], 2);
    expect(packVector(packed, 2)).toBe(packed);
  });

  test.each([
    [[1, 2]],
    [[1, 2, Number.NaN]],
    [[1, 2, Infinity]],
    [[1, 2, '3']],
    [[0, 0, 0]],
    ['123'],
    [null],
    [{}],
  ])('does not exist for %j', (value) => expect(packVector(value, 3)).toBeUndefined());
});

describe('areas of vectors', () => {
  test('put similar vectors together and others apart, and are the same for the same vectors', () => {
    const records = recordsOf(true);
    const { codes } = dataOf(records);
    expect(dataOf(records).codes).toEqual(codes);
    // As stored with a model.
    const encode = encoder(JSON.parse(JSON.stringify(codes)) as typeof codes);
    const nearest = records.map(({ embedding }) => encode({ embedding })[0]!);
    const tasteOf = new Map(nearest.map((area, item) => [area, item % tastes]));
    expect(tasteOf.size).toBeGreaterThanOrEqual(tastes);
    expect(nearest.map((area) => tasteOf.get(area))).toEqual(records.map((_, item) => item % tastes));
  });

  test('a value of another length has no area, and too few vectors have no areas', () => {
    const { codes } = dataOf(recordsOf(true));
    expect(encoder(codes)({ embedding: [1, 2, 3] })).toEqual([]);
    const [, few] = learnCodes(attributes, recordsOf(true).slice(0, 20));
    expect(countTokens([few!])).toBe(0);
    expect(encoder([few!])({ embedding: Array.from({ length }, () => 1) })).toEqual([]);
  });

  test('of many equal vectors there is one', () => {
    const records = Array.from({ length: 100 }, () => ({ embedding: Array.from({ length }, () => 0.1) }));
    const [code] = learnCodes(attributes.slice(1), records);
    expect(new Set(records.flatMap((record) => encoder([code!])(record).join())).size).toBe(1);
  });
});

describe('vectors of items', () => {
  test('are used if they help to place items whose events are hidden', async () => {
    const { parameters, model } = await train(dataOf(recordsOf(true)).data, sequential);
    expect(parameters.map?.vectors).toBe(true);
    expect(model.map?.features.first.some((one) => one >= 2 && one < 0xffffffff)).toBe(true);
  }, 60_000);

  test('are left out if they say nothing', async () => {
    const { parameters } = await train(dataOf(recordsOf(false)).data, sequential);
    expect(parameters.map?.vectors ?? false).toBe(false);
  }, 60_000);
});
