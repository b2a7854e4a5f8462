import type { Matrix } from '../src/g1/data/matrix.ts';
import type { FitParameters } from '../src/g1/fit/regression.ts';
import { placeAt, type Sources, sourceAt } from '../src/g1/fit/sources.ts';

/** A matrix of given columns, each an item, and every other item as a source of each. */
export function denseProblem(columns: readonly (readonly number[])[]): { matrix: Matrix; sources: Sources } {
  const items = columns.length;
  const rows = columns[0]?.length ?? 0;
  const cells = columns.map((column) => [...column.entries()].filter(([, value]) => value !== 0));
  const columnOffsets = new Uint32Array(items + 1);
  for (const [item, list] of cells.entries()) columnOffsets[item + 1] = columnOffsets[item]! + list.length;
  const columnWeight = Float32Array.from(cells.flat(), ([, value]) => value);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const others = columns.map((_, item) => columns.map((_, other) => other).filter((other) => other !== item));
  return {
    matrix: {
      users: rows,
      items,
      tokens: items,
      columnOffsets,
      columnWeight,
      columnTarget: columnWeight,
      columnRow: Uint32Array.from(cells.flat(), ([row]) => row),
      rowDegree: Float64Array.from({ length: rows }, (_, row) => sum(columns.map((column) => column[row]!))),
      degree: Float64Array.from(columns, sum),
      offsets: new Uint32Array(rows + 1),
      item: new Uint32Array(),
      target: new Float32Array(),
    },
    sources: {
      offsets: Uint32Array.from({ length: items + 1 }, (_, item) => item * (items - 1)),
      // By source, the targets ascend.
      pair: Uint32Array.from(
        others.flatMap((chosen, target) =>
          chosen.map((source) => source * (items - 1) + target - Number(target > source)),
        ),
      ),
      k: items - 1,
      places: Uint32Array.from({ length: items + 1 }, (_, item) => item * (items - 1)),
    },
  };
}

/** What a fit wrote in the layout of the support, in the order of `sources`. */
export const byTarget = (sources: Sources, weight: Float32Array) =>
  Float32Array.from(sources.pair, (_, index) => weight[placeAt(sources, index)]!);

/** The sources of a target, in their order. */
export const sourcesOfTarget = (sources: Sources, target: number) =>
  Array.from({ length: sources.offsets[target + 1]! - sources.offsets[target]! }, (_, index) =>
    sourceAt(sources, sources.offsets[target]! + index),
  );

/** o_u as the design says it: d_u^-beta, scaled to a mean of 1 over interactions of users. */
function trusts({ users, rowDegree }: Matrix, beta: number): number[] {
  const raw = Array.from({ length: users }, (_, row) => (rowDegree[row]! > 0 ? rowDegree[row]! ** -beta : 0));
  let total = 0;
  let weighted = 0;
  for (let row = 0; row < users; row++) {
    total += rowDegree[row]!;
    weighted += rowDegree[row]! * raw[row]!;
  }
  return raw.map((trust) => trust * (weighted > 0 ? total / weighted : 1));
}

/** Double-precision sums of the products at even and odd places, as of the kernel for one fit. */
function sumInDouble(products: Float32Array): number {
  const sums = [0, 0];
  for (const [place, product] of products.entries()) sums[place % 2]! += product;
  return sums[0]! + sums[1]!;
}

/** Single-precision sums of 32 products each, added in double precision, as of the kernel for four fits. */
export function sumInParts(products: Float32Array): number {
  let total = 0;
  for (let from = 0; from < products.length; from += 32) {
    const sums = new Float32Array(2);
    for (const [place, product] of products.subarray(from, from + 32).entries()) sums[place % 2]! += product;
    total += Math.fround(sums[0]! + sums[1]!);
  }
  return total;
}

/** The kernel in plain TypeScript, rounding where it rounds: equal to the bit. */
export function fitReference(
  matrix: Matrix,
  sources: Sources,
  { beta, lambda, c }: FitParameters,
  sweeps: number,
  sum = sumInDouble,
): Float32Array {
  const { columnOffsets, columnRow, columnWeight, columnTarget, degree } = matrix;
  const root = trusts(matrix, beta).map(Math.sqrt);
  const scale = (weights: Float32Array) =>
    weights.map((weight, cell) => Math.fround(root[columnRow[cell]!]! * weight));
  const scaled = scale(columnWeight);
  const scaledTarget = scale(columnTarget);
  const fitted = new Float32Array(sources.pair.length);
  for (let target = 0; target < matrix.items; target++) {
    const residual = new Float32Array(matrix.users);
    for (let cell = columnOffsets[target]!; cell < columnOffsets[target + 1]!; cell++)
      residual[columnRow[cell]!] = scaledTarget[cell]!;
    for (let sweep = 0; sweep < sweeps; sweep++)
      for (let place = sources.offsets[target]!; place < sources.offsets[target + 1]!; place++) {
        const token = sourceAt(sources, place);
        const [first, last] = [columnOffsets[token]!, columnOffsets[token + 1]!];
        const column = scaled.subarray(first, last);
        const norm = column.reduce((total, value) => total + value ** 2, 0);
        const before = fitted[place]!;
        const products = column.map((value, index) => value * residual[columnRow[first + index]!]!);
        const dot = sum(products) + before * norm;
        const after = Math.fround(dot / (norm + (lambda + c * degree[token]!)));
        fitted[place] = after;
        const step = Math.fround(after - before);
        for (let cell = first; cell < last; cell++)
          residual[columnRow[cell]!]! -= Math.fround(step * scaled[cell]!);
      }
  }
  return fitted;
}

/** What is minimised, for one target, in double precision on dense columns: its value and its gradient. */
export function objective(
  matrix: Matrix,
  target: number,
  chosen: readonly number[],
  weights: ArrayLike<number>,
  { beta, lambda, c }: FitParameters,
): { value: number; gradient: number[] } {
  const trust = trusts(matrix, beta);
  const column = (token: number, values: Float32Array) => {
    const dense = new Float64Array(matrix.users);
    for (let cell = matrix.columnOffsets[token]!; cell < matrix.columnOffsets[token + 1]!; cell++)
      dense[matrix.columnRow[cell]!] = values[cell]!;
    return dense;
  };
  const columns = chosen.map((token) => column(token, matrix.columnWeight));
  const rest = column(target, matrix.columnTarget);
  for (const [index, values] of columns.entries())
    for (let row = 0; row < rest.length; row++) rest[row]! -= weights[index]! * values[row]!;
  const penalties = chosen.map((token) => lambda + c * matrix.degree[token]!);
  const value =
    rest.reduce((sum, value, row) => sum + trust[row]! * value ** 2, 0) +
    penalties.reduce((sum, penalty, index) => sum + penalty * weights[index]! ** 2, 0);
  const gradient = columns.map(
    (values, index) =>
      penalties[index]! * weights[index]! -
      values.reduce((sum, value, row) => sum + trust[row]! * value * rest[row]!, 0),
  );
  return { value, gradient };
}
