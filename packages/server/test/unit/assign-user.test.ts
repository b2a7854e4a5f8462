import { describe, expect, test } from 'vitest';
import { placeOf, variantAt } from '../../src/experiments/served.ts';

const users = Array.from({ length: 50_000 }, (_, n) => `user ${n}`);
const [one, other] = ['exp_01kcnd2x5r8t1v4z7b9d3f6h0m', 'exp_01kcnd2x5r8t1v4z7b9d3f6h0n'] as const;

/** How often each of 100 cells occurs. */
function count(places: readonly number[]): number[] {
  const cells = Array<number>(100).fill(0);
  for (const place of places) cells[place] = (cells[place] ?? 0) + 1;
  return cells;
}

/** The sum of squared deviations from equal counts, which is about as large as the number of cells. */
function chiSquare(cells: readonly number[]): number {
  const expected = users.length / cells.length;
  return cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('the place of a user in an experiment', () => {
  test('never changes: the hash is documented, so others can compute it', () => {
    expect(placeOf('exp_x', 'anna')).toBe(placeOf('exp_x', 'anna'));
    expect(placeOf('exp_x', 'anna')).toBeCloseTo(0xb1c46b49 / 2 ** 32, 9);
  });

  test('is uniform: 100 equal parts get equal numbers of users', () => {
    const cells = count(users.map((user) => Math.floor(placeOf(one, user) * 100)));
    // With 99 degrees of freedom, one of 10,000 uniform hashes exceeds 161.
    expect(chiSquare(cells)).toBeLessThan(161);
  });

  test('is independent of the place in another experiment', () => {
    const tenth = (experiment: string, user: string) => Math.floor(placeOf(experiment, user) * 10);
    const cells = count(users.map((user) => tenth(one, user) * 10 + tenth(other, user)));
    expect(chiSquare(cells)).toBeLessThan(161);
  });
});

describe('the variant at a place', () => {
  const variants = [
    { name: 'a', share: 0.2 },
    { name: 'b', share: 0.3 },
  ];

  test('is the one whose share holds it, and none beyond all shares', () => {
    const at = [0, 0.199, 0.2, 0.499, 0.5, 0.999].map((place) => variantAt(variants, place)?.name);
    expect(at).toEqual(['a', 'a', 'b', 'b', undefined, undefined]);
  });

  test('is the last one at the end, if the shares add up to a little less than 1', () => {
    const tenths = Array.from({ length: 10 }, (_, n) => ({ name: n, share: 0.1 }));
    expect(variantAt(tenths, 1 - 2 ** -48)?.name).toBe(9);
  });
});
