import { describe, expect, test } from 'vitest';
import { symmetricEigen } from '../src/clusters/eigen.ts';
import { buildMatrix, type Matrix } from '../src/g1/data/matrix.ts';
import { type Interactions, seededRandom, sequential } from '../src/index.ts';
import { KernelMemory } from '../src/kernels/kernel-memory.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import { type Factors, factorise } from '../src/low-rank/factors.ts';
import { ranksFor } from '../src/low-rank/ranks.ts';
import { spreadRatios } from '../src/low-rank/scale.ts';
import { orthonormaliser } from '../src/low-rank/small-matrices.ts';
import { eigenOfLarge } from '../src/low-rank/tridiagonal-eigen.ts';
import { eventsOf, syntheticEvents } from './synthetic-data.ts';

const matrixOf = (events: Interactions) => buildMatrix(events, { typeWeights: [1] }, sequential);

/** X'X of the normalized matrix, in plain TypeScript. */
function squareOf({ users, items, ...matrix }: Matrix): Float64Array {
  const x = new Float64Array(users * items);
  for (let item = 0; item < items; item++)
    for (let cell = matrix.columnOffsets[item]!; cell < matrix.columnOffsets[item + 1]!; cell++) {
      const user = matrix.columnRow[cell]!;
      const degrees = Math.max(1, matrix.degree[item]!) * Math.max(1, matrix.rowDegree[user]!);
      x[user * items + item] = matrix.columnWeight[cell]! / Math.sqrt(degrees);
    }
  const square = new Float64Array(items * items);
  for (let user = 0; user < users; user++)
    for (let one = 0; one < items; one++)
      for (let other = 0; other < items; other++)
        square[one * items + other]! += x[user * items + one]! * x[user * items + other]!;
  return square;
}

const column = ({ rank, vector }: Factors, place: number) =>
  Float64Array.from({ length: vector.length / rank }, (_, item) => vector[item * rank + place]!);

const dot = (one: Float64Array, other: Float64Array) =>
  one.reduce((sum, value, place) => sum + value * other[place]!, 0);

/** v' M v. */
const quotient = (matrix: Float64Array, v: Float64Array) =>
  v.reduce(
    (sum, value, row) => sum + value * dot(matrix.subarray(row * v.length, (row + 1) * v.length), v),
    0,
  );

describe('factors', () => {
  test('are the leading singular vectors, as a reference implementation finds them', async () => {
    const matrix = await matrixOf(syntheticEvents({ users: 200, items: 150, perUser: 20 }));
    const factors = await factorise(matrix, 32, sequential, new KernelMemory());
    const square = squareOf(matrix);
    const { values } = symmetricEigen(square, 150);
    for (let place = 0; place < 32; place++) {
      const own = column(factors, place);
      expect(dot(own, own)).toBeCloseTo(1, 4);
      if (place > 0) expect(dot(own, column(factors, place - 1))).toBeCloseTo(0, 4);
      // The columns beyond the rank take the inaccuracy of the last.
      expect(quotient(square, own) / values[place]!).toBeGreaterThan(place < 16 ? 0.995 : 0.9);
      expect(quotient(square, own) / values[place]!).toBeLessThan(1.005);
    }
  });

  test('of groups that share no item are the groups, weighted by the root of popularity', async () => {
    // Three groups of 20 users who have the same 10 items each, and in each group one more user with one of them.
    const lists = [0, 1, 2].flatMap((group) => [
      ...Array.from({ length: 20 }, () => Array.from({ length: 10 }, (_, item) => group * 10 + item)),
      [group * 10],
    ]);
    const matrix = await matrixOf(eventsOf(lists, { items: 31 }));
    const factors = await factorise(matrix, 3, sequential, new KernelMemory());
    const expected = [0, 1, 2].map((group) =>
      Float64Array.from({ length: 31 }, (_, item) =>
        Math.floor(item / 10) === group ? Math.sqrt(item % 10 === 0 ? 21 / 201 : 20 / 201) : 0,
      ),
    );
    const found = [0, 1, 2].map((place) => column(factors, place));
    // Each is a mixture of the three, since their singular values are all 1.
    for (const own of found)
      expect(expected.reduce((sum, one) => sum + dot(own, one) ** 2, 0)).toBeCloseTo(1, 5);
  });

  test('are the same to the byte for any number of threads', async () => {
    const matrix = await matrixOf(syntheticEvents({ users: 300, items: 203, perUser: 15 }));
    const alone = await factorise(matrix, 64, sequential, new KernelMemory());
    expect(alone.vector.some((value) => value !== 0)).toBe(true);
    for (const count of [1, 2, 3]) {
      const threads = startThreads(count);
      const found = await factorise(matrix, 64, threads, new KernelMemory());
      await threads.close();
      expect(found).toEqual(alone);
    }
  });

  test('exist for fewer items than columns, and for none', async () => {
    const few = await factorise(
      await matrixOf(
        eventsOf([
          [0, 1],
          [1, 2],
        ]),
      ),
      2,
      sequential,
      new KernelMemory(),
    );
    expect(few.vector.every(Number.isFinite)).toBe(true);
    const none = await factorise(await matrixOf(eventsOf([])), 2, sequential, new KernelMemory());
    expect(none.vector).toHaveLength(0);
  });

  test('are not searched for in little data, nor beyond the memory of a kernel', () => {
    expect(ranksFor({ users: 100, items: 100, pairs: 1000 })).toEqual([]);
    expect(ranksFor({ users: 6000, items: 600, pairs: 1e6 })).toEqual([64, 128]);
    expect(ranksFor({ users: 30_000, items: 41_000, pairs: 8e5 })).toEqual([64, 128, 256, 512]);
    expect(ranksFor({ users: 1e6, items: 500_000, pairs: 1e7 })).toEqual([64]);
    expect(ranksFor({ users: 2e7, items: 1e6, pairs: 1e8 })).toEqual([]);
    const sample = { users: 30_000, items: 41_000, pairs: 8e5 };
    expect(ranksFor(sample, { ...sample, users: 3e6, pairs: 8e7 })).toEqual([64, 128, 256, 512]);
    expect(ranksFor(sample, { ...sample, users: 9e6, pairs: 24e7 })).toEqual([]);
  });
});

test('eigenvectors of a symmetric matrix rebuild it, the largest eigenvalue first', () => {
  const size = 40;
  const random = seededRandom(7);
  const matrix = new Float64Array(size * size);
  for (let row = 0; row < size; row++)
    for (let other = 0; other <= row; other++) {
      const value = random() - 0.5;
      matrix[row * size + other] = value;
      matrix[other * size + row] = value;
    }
  const { values, vectors } = eigenOfLarge(matrix, size);
  expect([...values]).toEqual([...values].toSorted((a, b) => b - a));
  for (let row = 0; row < size; row++)
    for (let other = 0; other < size; other++) {
      let sum = 0;
      for (let k = 0; k < size; k++)
        sum += values[k]! * vectors[k * size + row]! * vectors[k * size + other]!;
      expect(sum).toBeCloseTo(matrix[row * size + other]!, 10);
    }
});

test('a column that depends on others is left out of an orthonormal basis', () => {
  // The inner products of (1, 0), (2, 0) and (1, 1).
  const inner = Float64Array.from([1, 2, 1, 2, 4, 2, 1, 2, 2]);
  const upper = orthonormaliser(inner, 3);
  expect([...upper].map((value) => Number(value.toFixed(6)) + 0)).toEqual([1, 0, -1, 0, 0, 0, 0, 0, 1]);
});

test('the ratio of spreads is that of the standard deviations over users and items', () => {
  const factors = {
    stride: 2,
    vector: Float32Array.from([1, 1, 0, 2]),
    source: Float32Array.from([1, 1]),
    target: Float32Array.from([1, 0.5]),
  };
  // Two items with scores 0 and 4: mean 2, deviation 2. With factors (1, 1) the taste scores them 2 and 1, by the first alone 1 and 0.
  const user = { sum: 4, squares: 16, token: [0], weight: [1] };
  expect(spreadRatios([user], 2, factors, [1, 2])).toEqual([4, 4]);
});
