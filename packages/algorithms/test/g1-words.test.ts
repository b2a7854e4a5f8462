import { describe, expect, test } from 'vitest';
import { fitModel, train } from '../src/g1/index.ts';
import { featureEncoder, learnFeatures, noValue } from '../src/g1/items/features.ts';
import { columnsOf } from '../src/g1/items/sources.ts';
import { type Incidence, IncidenceBuilder, seededRandom, sequential } from '../src/index.ts';
import { syntheticEvents } from './synthetic-data.ts';

const tastes = 4;
const items = 160;
const words = 40;
const events = syntheticEvents({ users: 600, items, perUser: 12, ordered: true });

/** One value that says nothing, then three words: of the item's taste, or any. */
function attributesOf(saysTaste: boolean): Incidence {
  const random = seededRandom(5);
  const perTaste = words / tastes;
  const builder = new IncidenceBuilder();
  for (let item = 0; item < items; item++) {
    const own = new Set<number>();
    while (own.size < 3) {
      const taste = saysTaste ? item % tastes : Math.floor(random() * tastes);
      own.add(2 + taste * perTaste + Math.floor(random() * perTaste));
    }
    builder.push([Math.floor(random() * 2), ...own]);
  }
  return builder.build(2 + words);
}

describe('words of texts', () => {
  test('are features by themselves, after the values and without pairs, and only if they are used', () => {
    const builder = new IncidenceBuilder();
    for (let item = 0; item < 6; item++) builder.push([0, 1, 2, 3]);
    const attributes = builder.build(4);
    const isKnown = new Uint8Array(6).fill(1);
    const listOf = (used: boolean) => {
      const columns = columnsOf(4, { words: 2 }, used ? { words: true } : {});
      const features = learnFeatures(attributes, isKnown, columns);
      return { features, list: Array.from(features.first, (one, place) => [one, features.second[place]]) };
    };
    const constant = [noValue, noValue];
    const values = [
      [0, noValue],
      [1, noValue],
    ];
    expect(listOf(false).list).toEqual([constant, ...values, [0, 1]]);
    const { list, features } = listOf(true);
    expect(list).toEqual([constant, ...values, [3, noValue], [2, noValue], [0, 1]]);
    expect(featureEncoder(features)([3, 0])).toEqual([0, 1, 3]);
  });

  test('are used if they help to place items whose events are hidden', async () => {
    const { parameters } = await train(
      { events, itemAttributes: attributesOf(true), itemColumns: { words: 2 } },
      sequential,
    );
    expect(parameters.map?.words).toBe(true);
  }, 60_000);

  test('are used without a choice if items have nothing else', async () => {
    const builder = new IncidenceBuilder();
    for (let item = 0; item < items; item++) builder.push([item % tastes]);
    const { map } = await fitModel(
      { events, itemAttributes: builder.build(tastes), itemColumns: { words: 0 } },
      sequential,
    );
    expect(map?.features.count).toBe(1 + tastes);
  });

  test('are left out if they say nothing', async () => {
    const { parameters, model } = await train(
      { events, itemAttributes: attributesOf(false), itemColumns: { words: 2 } },
      sequential,
    );
    expect(parameters.map?.words ?? false).toBe(false);
    expect(model.map?.features.first.some((one) => one >= 2 && one !== noValue)).toBe(false);
  }, 60_000);
});
