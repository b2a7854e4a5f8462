import { seededRandom } from '../lib/random.ts';
import { symmetricEigen } from './eigen.ts';
import type { Points } from './k-means.ts';
import type { TasteRows } from './taste-rows.ts';

/**
 * The directions in which users' tastes differ most after removing what everyone shares: the right singular vectors of
 * the rows without their projection on the mean row, by randomized subspace iteration (Halko, Martinsson and Tropp,
 * 2011). Removing the projection instead of the mean also removes the effect of history length: the more items a user
 * has, the closer the row is to the mean.
 */
export interface PrincipalTastes {
  readonly dimensions: number;
  /** The squares of the singular values over the number of users, the largest first. */
  readonly variance: Float64Array;
  /** items x dimensions. */
  readonly directions: Float32Array;
}

/** Extra columns, so that the last of the requested ones are accurate too. */
const spareColumns = 8;
/** Each pass over the pairs sharpens the directions; after four, the clusters no longer change. */
const passes = 4;

export function findPrincipalTastes(
  rows: TasteRows,
  dimensions: number,
  seed: number,
  onPass: (pass: number, of: number) => void,
): PrincipalTastes {
  const width = dimensions + spareColumns;
  const random = seededRandom(seed);
  const mean = meanDirection(rows);
  let basis = new Float64Array(rows.items * width).map(() => random() - 0.5);
  removeProjection(mean, basis, width);
  orthonormalise(basis, rows.items, width);
  let inner = new Float64Array(width * width);
  for (let pass = 0; pass < passes; pass++) {
    onPass(pass, passes);
    const next = multiply(rows, basis, width);
    removeProjection(mean, next, width);
    if (pass === passes - 1) inner = product(basis, next, rows.items, width);
    else {
      basis = next;
      orthonormalise(basis, rows.items, width);
    }
  }
  const { values, vectors } = symmetricEigen(symmetric(inner, width), width);
  const directions = new Float32Array(rows.items * dimensions);
  const row = new Float64Array(dimensions);
  for (let item = 0; item < rows.items; item++) {
    row.fill(0);
    for (let from = 0; from < width; from++) {
      const value = basis[item * width + from]!;
      for (let to = 0; to < dimensions; to++) row[to]! += value * vectors[from * width + to]!;
    }
    directions.set(row, item * dimensions);
  }
  return {
    dimensions,
    variance: values.slice(0, dimensions).map((value) => Math.max(0, value) / Math.max(1, rows.rows)),
    directions,
  };
}

/** Users as unit vectors in the first dimensions, users x dimensions; 0 for users without a visible taste. */
export function projectUsers(rows: TasteRows, tastes: PrincipalTastes, dimensions: number): Points {
  const { directions } = tastes;
  const at = new Float32Array(rows.rows * dimensions);
  const point = new Float64Array(dimensions);
  for (let user = 0; user < rows.rows; user++) {
    point.fill(0);
    for (let cell = rows.offsets[user]!; cell < rows.offsets[user + 1]!; cell++) {
      const weight = rows.weight[cell]!;
      const from = rows.item[cell]! * tastes.dimensions;
      for (let to = 0; to < dimensions; to++) point[to]! += weight * directions[from + to]!;
    }
    let square = 0;
    for (let to = 0; to < dimensions; to++) square += point[to]! * point[to]!;
    const scale = square > smallestSquare ? 1 / Math.sqrt(square) : 0;
    for (let to = 0; to < dimensions; to++) at[user * dimensions + to] = point[to]! * scale;
  }
  return { count: rows.rows, dimensions, at };
}

/** Anything shorter is rounding error. */
const smallestSquare = 1e-12;

/** The mean row, scaled to length 1. */
function meanDirection(rows: TasteRows): Float64Array {
  const sum = new Float64Array(rows.items);
  for (let cell = 0; cell < rows.item.length; cell++) sum[rows.item[cell]!]! += rows.weight[cell]!;
  const length = Math.sqrt(sum.reduce((square, value) => square + value * value, 0));
  return length > 0 ? sum.map((value) => value / length) : sum;
}

/** Subtracts from each column its projection on the direction. */
function removeProjection(direction: Float64Array, columns: Float64Array, width: number): void {
  const part = new Float64Array(width);
  for (let row = 0; row < direction.length; row++)
    for (let column = 0; column < width; column++)
      part[column]! += direction[row]! * columns[row * width + column]!;
  for (let row = 0; row < direction.length; row++)
    for (let column = 0; column < width; column++)
      columns[row * width + column]! -= direction[row]! * part[column]!;
}

/** X' X Q. */
function multiply(rows: TasteRows, basis: Float64Array, width: number): Float64Array<ArrayBuffer> {
  const { offsets, item, weight } = rows;
  const result = new Float64Array(rows.items * width);
  const point = new Float64Array(width);
  for (let row = 0; row < rows.rows; row++) {
    const begin = offsets[row]!;
    const end = offsets[row + 1]!;
    point.fill(0);
    for (let cell = begin; cell < end; cell++) {
      const factor = weight[cell]!;
      const from = item[cell]! * width;
      for (let column = 0; column < width; column++) point[column]! += factor * basis[from + column]!;
    }
    for (let cell = begin; cell < end; cell++) {
      const factor = weight[cell]!;
      const to = item[cell]! * width;
      for (let column = 0; column < width; column++) result[to + column]! += factor * point[column]!;
    }
  }
  return result;
}

/** A' B for two matrices with `rows` rows. */
function product(a: Float64Array, b: Float64Array, rows: number, width: number): Float64Array<ArrayBuffer> {
  const result = new Float64Array(width * width);
  for (let row = 0; row < rows; row++)
    for (let one = 0; one < width; one++) {
      const factor = a[row * width + one]!;
      if (factor === 0) continue;
      for (let other = 0; other < width; other++)
        result[one * width + other]! += factor * b[row * width + other]!;
    }
  return result;
}

const symmetric = (matrix: Float64Array, size: number) =>
  matrix.map((value, place) => (value + matrix[(place % size) * size + Math.floor(place / size)]!) / 2);

/** Orthonormalizes the columns in place; columns that are linearly dependent become 0. */
function orthonormalise(basis: Float64Array, rows: number, width: number): void {
  // One pass loses half of the digits; the second restores them.
  for (let time = 0; time < 2; time++) {
    const { values, vectors } = symmetricEigen(product(basis, basis, rows, width), width);
    const kept = values.map((value) => (value > values[0]! * 1e-14 ? 1 / Math.sqrt(value) : 0));
    const row = new Float64Array(width);
    for (let index = 0; index < rows; index++) {
      row.fill(0);
      for (let from = 0; from < width; from++) {
        const value = basis[index * width + from]!;
        for (let to = 0; to < width; to++) row[to]! += value * vectors[from * width + to]!;
      }
      for (let to = 0; to < width; to++) basis[index * width + to] = row[to]! * kept[to]!;
    }
  }
}
