import { beforeAll, describe, expect, test } from 'vitest';
import { readItems, readItemsAfter } from '../../../src/serving/rows/item-reads.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';
import { type Items, newItems, placeOf, write } from './mirror-fixture.ts';

const mebibyte = 1024 * 1024;
/** The most that a statement returns: it includes the record that crosses 4 MiB. */
const maxBytes = 4 * mebibyte + 256 * 1024;
const count = 40;
const ids = Array.from({ length: count }, (_, n) => `i${String(n).padStart(2, '0')}`);

const fixture = perFile(() => TrainingFixture.open());
let dataset: Items;

beforeAll(async () => {
  dataset = await newItems(fixture);
  // Compresses well, so that the stored size differs from the size read.
  const text = 'x'.repeat(250_000);
  for (const id of ids)
    await write(fixture.db, dataset, {
      [id]: { text, n: Number(id.slice(1)), none: null, ['__proto__x']: 1 },
    });
}, 60_000);

const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);

describe('items are read', () => {
  test('in statements of bounded bytes, in the order of the request', async () => {
    const asked = ids.toReversed();
    const read: string[] = [];
    for (let rest = asked; rest.length > 0; ) {
      const records = await readItems(fixture.db, placeOf(dataset), rest);
      expect(records.size).toBe(rest.length);
      expect(sum([...records.values()].map(({ length }) => length))).toBeLessThanOrEqual(maxBytes);
      const cut = rest.findIndex((id) => !records.get(id)?.isRead);
      expect(rest.slice(cut === -1 ? rest.length : cut).some((id) => records.get(id)?.isRead)).toBe(false);
      read.push(...rest.slice(0, cut === -1 ? rest.length : cut));
      rest = asked.slice(read.length);
    }
    expect(read).toEqual(asked);
  });

  test('in pages of bounded bytes, each item once', async () => {
    const read: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await readItemsAfter(fixture.db, placeOf(dataset), {
        afterId: read.at(-1) ?? '',
        size: 1000,
      });
      expect(sum(page.items.map(([, { length }]) => length))).toBeLessThanOrEqual(maxBytes);
      read.push(...page.items.map(([id]) => id));
      isLast = page.isLast;
    }
    expect(read).toEqual(ids);
  });

  test('with only the requested attributes', async () => {
    const records = await readItems(
      fixture.db,
      placeOf(dataset),
      [...ids, 'nothing'],
      ['n', 'none', 'lacking'],
    );
    expect([...records.keys()].toSorted()).toEqual(ids);
    expect(sum([...records.values()].map(({ length }) => length))).toBeLessThan(count * 50);
    expect(records.get('i07')?.attributes).toEqual({ n: 7, none: null, lacking: null });
    const there = await readItems(fixture.db, placeOf(dataset), ['i01', 'nothing'], []);
    expect([...there].map(([id, { attributes, isRead }]) => [id, attributes, isRead])).toEqual([
      ['i01', {}, true],
    ]);
    const many = Array.from({ length: 20 }, (_, n) => `a${n}`);
    const whole = await readItems(fixture.db, placeOf(dataset), ['i01'], ['n', ...many]);
    expect(whole.get('i01')?.attributes['n']).toBe(1);
  });
});
