import { describe, expect, test } from 'vitest';
import { buildMatrix, type Matrix } from '../src/g1/data/matrix.ts';
import { type FitOptions, type FitParameters, fit } from '../src/g1/fit/regression.ts';
import { rarestFirst, type Sources, sourcesOf } from '../src/g1/fit/sources.ts';
import { emptySupport, findSupport } from '../src/g1/fit/support.ts';
import { seededRandom, sequential } from '../src/index.ts';
import { sharedF32 } from '../src/lib/arrays.ts';
import {
  byTarget,
  denseProblem,
  fitReference,
  objective,
  sourcesOfTarget,
  sumInParts,
} from './reference-regression.ts';
import { syntheticData } from './synthetic-data.ts';

const random = seededRandom(3);
const rows = 90;
const column = (make: (row: number) => number) => Array.from({ length: rows }, (_, row) => make(row));
const sparse = (share: number, make = () => 1) => column(() => (random() < share ? make() : 0));
const some = (count: number, share: number, make?: () => number) =>
  Array.from({ length: count }, () => sparse(share, make));
const twin = sparse(0.3);

const problems: [name: string, columns: number[][], parameters: FitParameters][] = [
  ['random columns', some(14, 0.3), { beta: 0.5, lambda: 3, c: 0.5 }],
  ['random weights', some(14, 0.3, () => 0.1 + 5 * random()), { beta: 0.3, lambda: 1, c: 0.1 }],
  ['columns that are the same', [twin, twin, [...twin], ...some(4, 0.2)], { beta: 0.6, lambda: 0.5, c: 0 }],
  [
    'columns that are all but the same, hardly held back',
    [twin, twin.with(0, 1), twin.with(5, 1), ...some(4, 0.2)],
    { beta: 0, lambda: 1e-3, c: 0 },
  ],
  ['a column that everybody has', [column(() => 1), ...some(8, 0.2)], { beta: 0.4, lambda: 2, c: 1 }],
  ['an empty column', [column(() => 0), ...some(6, 0.3)], { beta: 0.4, lambda: 2, c: 1 }],
  ['tiny weights', some(8, 0.4, () => 1e-6 * (1 + random())), { beta: 0.4, lambda: 1e-12, c: 0 }],
  ['huge weights', some(8, 0.4, () => 1e6 * (1 + random())), { beta: 0.4, lambda: 1e11, c: 0 }],
  [
    'tiny beside huge weights',
    [...some(4, 0.4, () => 1e-4), ...some(4, 0.4, () => 1e4)],
    { beta: 0.4, lambda: 10, c: 1 },
  ],
  [
    'columns of one row each',
    [0, 1, 2, 3].map((at) => column((row) => (row === at ? 1 : 0))),
    { beta: 1, lambda: 1, c: 1 },
  ],
];

async function fitAll(
  matrix: Matrix,
  sources: Sources,
  fits: readonly FitParameters[],
  options?: FitOptions,
): Promise<Float32Array[]> {
  const weights = fits.map(() => sharedF32(matrix.tokens * sources.k));
  await fit(matrix, sources, fits, weights, sequential, options);
  return weights.map((weight) => byTarget(sources, weight));
}

async function fitOne(
  matrix: Matrix,
  sources: Sources,
  parameters: FitParameters,
  options?: FitOptions,
): Promise<Float32Array> {
  const [weight] = await fitAll(matrix, sources, [parameters], options);
  return weight!;
}

describe.each(problems)('the regression on %s', (_, columns, parameters) => {
  const { matrix, sources } = denseProblem(columns);

  test.each([1, 3, 20])('equals the reference implementation to the bit after %i sweeps', async (sweeps) => {
    expect(await fitOne(matrix, sources, parameters, { sweeps })).toEqual(
      fitReference(matrix, sources, parameters, sweeps),
    );
  });

  test('gives the same result in several windows', async () => {
    const whole = await fitOne(matrix, sources, parameters);
    for (const windowBytes of [1, 16 * columns.length])
      expect(await fitOne(matrix, sources, parameters, { windowBytes })).toEqual(whole);
  });

  test.each([2, 3, 4])('equals the reference implementation to the bit in %i fits at once', async (count) => {
    const fits = [1, 0.2, 5, 30].slice(0, count).map((factor, lane) => {
      const { beta, lambda, c } = parameters;
      return { beta, lambda: lambda * factor, c: c * lane };
    });
    for (const windowBytes of [1, 2 ** 20]) {
      const weights = await fitAll(matrix, sources, fits, { windowBytes });
      for (const [lane, each] of fits.entries())
        expect(weights[lane]).toEqual(fitReference(matrix, sources, each, 3, sumInParts));
    }
  });

  test('reaches the minimum, according to the gradient in double precision', async () => {
    const once = await fitOne(matrix, sources, parameters);
    const converged = await fitOne(matrix, sources, parameters, { sweeps: 3000 });
    for (let target = 0; target < matrix.items; target++) {
      const [begin, end] = [sources.offsets[target]!, sources.offsets[target + 1]!];
      const chosen = sourcesOfTarget(sources, target);
      const at = (weights: Float32Array | number[]) => objective(matrix, target, chosen, weights, parameters);
      const start = at(chosen.map(() => 0));
      const settled = at(converged.subarray(begin, end));
      const steepest = Math.max(...start.gradient.map(Math.abs));
      for (const slope of settled.gradient) expect(Math.abs(slope)).toBeLessThanOrEqual(1e-4 * steepest);
      const early = at(once.subarray(begin, end));
      expect(early.value).toBeLessThanOrEqual(start.value * (1 + 1e-6));
      expect(settled.value).toBeLessThanOrEqual(early.value * (1 + 1e-6));
    }
  });
});

test('with a second event type and attributes, the regression equals the reference implementation', async () => {
  const { events, ...attributes } = syntheticData();
  const matrix = await buildMatrix(events, { typeWeights: [1, 0.5], ...attributes }, sequential);
  const support = emptySupport(matrix.tokens, 20);
  await findSupport(matrix, support, sequential);
  const sources = await sourcesOf(support, matrix.items, rarestFirst(matrix.degree), sequential);
  const parameters = { beta: 0.3, lambda: 10, c: 1 };
  expect(await fitOne(matrix, sources, parameters)).toEqual(fitReference(matrix, sources, parameters, 3));
});
