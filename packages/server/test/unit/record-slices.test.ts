import { describe, expect, test } from 'vitest';
import { cutIntoSlices, jsonArrayOf } from '../../src/datasets/rows/write-slices.ts';

const megabyte = 1024 * 1024;
const rowOf = (id: string, bytes: number) => ({ id, json: JSON.stringify('x'.repeat(bytes - 2)) });

describe('cutIntoSlices', () => {
  test('keeps up to a megabyte in one statement, in the given order', async () => {
    const rows = ['b', 'a', 'c', 'd'].map((id) => rowOf(id, megabyte / 4));
    const slices = await cutIntoSlices(rows);
    expect(slices.map((slice) => slice.map(({ id }) => id))).toEqual([['b', 'a', 'c', 'd']]);
    expect(await cutIntoSlices([])).toEqual([[]]);
  });

  test('splits more into statements of a megabyte, or of one record', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => String(n).padStart(3, '0'));
    const sizes = ids.map((_, n) => (n === 50 ? 2 * megabyte : 30_000));
    const slices = await cutIntoSlices(ids.toReversed().map((id) => rowOf(id, sizes[Number(id)] ?? 0)));
    expect(slices.flat().map(({ id }) => id)).toEqual(ids);
    for (const slice of slices)
      if (slice.length > 1)
        expect(jsonArrayOf(slice).length).toBeLessThanOrEqual(megabyte + 2 * slice.length);
    expect(slices.length).toBeLessThan(8);
  });

  test('orders IDs across statements by their bytes, as PostgreSQL does', async () => {
    const ids = ['\u{1f600}', '\uffee', 'z', 'é', 'a'];
    const slices = await cutIntoSlices(ids.map((id) => rowOf(id, megabyte / 2)));
    expect(slices.flat().map(({ id }) => id)).toEqual(['a', 'z', 'é', '\uffee', '\u{1f600}']);
    expect(slices.length).toBeGreaterThan(1);
  });
});
