import { describe, expect, test } from 'vitest';
import { buildMatrix, type Matrix } from '../src/g1/data/matrix.ts';
import { fit } from '../src/g1/fit/regression.ts';
import { rarestFirst, sourcesOf } from '../src/g1/fit/sources.ts';
import { emptySupport, findSupport } from '../src/g1/fit/support.ts';
import { decodeModel, fitModel, G1Scorer, train } from '../src/g1/index.ts';
import { seededRandom, sequential } from '../src/index.ts';
import { sharedF32 } from '../src/lib/arrays.ts';
import { inBlocks } from './in-blocks.ts';
import { byTarget, sourcesOfTarget } from './reference-regression.ts';
import { eventsOf, fileOf, syntheticEvents, userOf } from './synthetic-data.ts';

describe('checkerboard', () => {
  // Even users have even items, odd users odd ones, each but one: that one is what they are to be recommended.
  const size = 20;
  const lists = Array.from({ length: size }, (_, user) =>
    Array.from({ length: size / 2 }, (_, index) => index * 2 + (user % 2)).filter((item) => item !== user),
  );

  test('recommends to each user the one missing square of their color', async () => {
    const scorer = new G1Scorer(await fitModel({ events: eventsOf(lists) }, sequential));
    for (const [user, list] of lists.entries())
      expect(scorer.recommend(userOf(list), { n: 1 })[0]?.item).toBe(user);
  });
});

describe('the regression', () => {
  test('converges to the closed-form solution of its ridge problem', async () => {
    const matrix = await buildMatrix(
      syntheticEvents({ users: 60, items: 12, perUser: 6 }),
      plain,
      sequential,
    );
    const support = emptySupport(matrix.tokens, matrix.items);
    await findSupport(matrix, support, sequential);
    const order = rarestFirst(matrix.degree).filter((token) => token < matrix.items);
    const sources = await sourcesOf(support, matrix.items, order, sequential);
    const parameters = { beta: 0.4, c: 0.5, lambda: 2 };
    const weight = sharedF32(support.target.length);
    await fit(matrix, sources, [parameters], [weight], sequential, { sweeps: 500 });
    const fitted = byTarget(sources, weight);
    for (let target = 0; target < matrix.items; target++) {
      const begin = sources.offsets[target]!;
      const chosen = sourcesOfTarget(sources, target);
      for (const [index, solved] of solveRidge(matrix, target, chosen, parameters).entries())
        expect(fitted[begin + index]).toBeCloseTo(solved, 5);
    }
  });

  test('stays finite on nearly identical columns', async () => {
    const twins = Array.from({ length: 30 }, (_, user) => (user % 7 === 0 ? [0, 2] : [0, 1, 2]));
    const model = await fitModel({ events: eventsOf(twins) }, sequential, { lambda: 1e-6, c: 0 });
    expect(model.rowScale.every((scale) => Number.isFinite(scale))).toBe(true);
  });
});

describe('determinism', () => {
  test.each([true, false])(
    'any partition into blocks gives the same bytes (ordered: %s)',
    async (ordered) => {
      const data = { events: syntheticEvents({ users: 120, items: 50, perUser: 8, ordered }) };
      const whole = fileOf((await train(data, sequential)).model);
      for (const block of [1, 16]) {
        const other = fileOf((await train(data, inBlocks(block))).model);
        expect(other.equals(whole)).toBe(true);
      }
    },
  );
});

describe('round trip', () => {
  test('a model gives the same recommendations after it is read from its file', async () => {
    const model = await fitModel(
      { events: syntheticEvents({ users: 120, items: 50, perUser: 8, ordered: true }) },
      sequential,
    );
    const [before, after] = [model, decodeModel(fileOf(model)).model].map((of) =>
      new G1Scorer(of).recommend(userOf([3, 5, 8]), { n: 50 }),
    );
    expect(after).toEqual(before);
  });
});

describe('quality', () => {
  test('equals that of popularity if there is nothing to learn', async () => {
    const random = seededRandom(3);
    const lists = Array.from({ length: 1000 }, () => [
      ...new Set(Array.from({ length: 14 }, () => Math.floor(random() ** 2 * 160))),
    ]);
    const { test: reached, popularity } = await train({ events: eventsOf(lists) }, sequential);
    expect(reached.ndcg20.mean).toBeLessThan(popularity.ndcg20.high);
    expect(reached.ndcg20.mean).toBeGreaterThan(popularity.ndcg20.mean * 0.7);
  });

  test('on synthetic data is within a range: a result that is too good is also a bug', async () => {
    const { test: reached, popularity } = await train(
      { events: syntheticEvents({ users: 400, items: 160, perUser: 14 }) },
      sequential,
    );
    expect(reached.ndcg20.mean).toBeGreaterThan(popularity.ndcg20.mean * 1.3);
    expect(reached.ndcg20.mean).toBeGreaterThan(0.2);
    expect(reached.ndcg20.mean).toBeLessThan(0.45);
  });
});

const plain = { typeWeights: [1] };

/** (X'OX + D) w = X'Oy by Gaussian elimination. */
function solveRidge(
  matrix: Matrix,
  target: number,
  chosen: number[],
  { beta, c, lambda }: { beta: number; c: number; lambda: number },
): number[] {
  const trust = Array.from(matrix.rowDegree, (degree) => (degree > 0 ? degree ** -beta : 0));
  const total = matrix.rowDegree.reduce((sum, degree) => sum + degree, 0);
  const scale = total / matrix.rowDegree.reduce((sum, degree, row) => sum + degree * trust[row]!, 0);
  const column = (token: number) => {
    const values = new Float64Array(matrix.users);
    for (let cell = matrix.columnOffsets[token]!; cell < matrix.columnOffsets[token + 1]!; cell++)
      values[matrix.columnRow[cell]!] = matrix.columnWeight[cell]!;
    return values;
  };
  const dot = (one: Float64Array, other: Float64Array) =>
    one.reduce((sum, value, row) => sum + scale * trust[row]! * value * other[row]!, 0);
  const columns = chosen.map(column);
  const targetColumn = column(target);
  const system = columns.map((one, index) => [
    ...columns.map(
      (other, place) => dot(one, other) + (place === index ? lambda + c * matrix.degree[chosen[index]!]! : 0),
    ),
    dot(one, targetColumn),
  ]);
  for (let pivot = 0; pivot < system.length; pivot++)
    for (const [index, row] of system.entries()) {
      if (index === pivot) continue;
      const factor = row[pivot]! / system[pivot]![pivot]!;
      for (let place = pivot; place < row.length; place++) row[place]! -= factor * system[pivot]![place]!;
    }
  return system.map((row, index) => row.at(-1)! / row[index]!);
}
