import { eigenOfLarge } from './tridiagonal-eigen.ts';

/** A pivot below this share of its column's square is rounding error: the column depends on those before it. */
const smallestPivot = 1e-5;

/**
 * For the inner products G of some columns B, the upper triangular T for which the columns of B T are orthonormal (the
 * inverse of G's Cholesky factor). A column that depends on those before it becomes 0. Row by row.
 */
export function orthonormaliser(inner: Float64Array, size: number): Float64Array {
  const scale = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const square = inner[i * size + i]!;
    scale[i] = square > 0 ? 1 / Math.sqrt(square) : 0;
  }
  // The lower factor of the inner products of the columns scaled to length 1.
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = inner[i * size + j]! * scale[i]! * scale[j]!;
      for (let k = 0; k < j; k++) sum -= lower[i * size + k]! * lower[j * size + k]!;
      const pivot = lower[j * size + j]!;
      if (i === j) lower[i * size + i] = sum > smallestPivot ? Math.sqrt(sum) : 0;
      else lower[i * size + j] = pivot > 0 ? sum / pivot : 0;
    }
  // Column by column of the inverse of the lower factor, which is T transposed.
  const upper = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    if (lower[j * size + j] === 0) continue;
    for (let i = j; i < size; i++) {
      const pivot = lower[i * size + i]!;
      if (pivot === 0) continue;
      let sum = i === j ? 1 : 0;
      for (let k = j; k < i; k++) sum -= lower[i * size + k]! * upper[j * size + k]!;
      upper[j * size + i] = sum / pivot;
    }
  }
  for (let i = 0; i < size; i++) for (let j = i; j < size; j++) upper[i * size + j]! *= scale[i]!;
  return upper;
}

/**
 * For inner products G = B'B and H = B'AB, the P for which the columns of B P are orthonormal and approximate the
 * eigenvectors of A, the largest eigenvalue first (Rayleigh and Ritz). Row by row.
 */
export function ritzVectors(inner: Float64Array, outer: Float64Array, size: number): Float64Array {
  const upper = orthonormaliser(inner, size);
  const half = product(outer, upper, size);
  const reduced = product(transpose(upper, size), half, size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) {
      const mean = (reduced[i * size + j]! + reduced[j * size + i]!) / 2;
      reduced[i * size + j] = mean;
      reduced[j * size + i] = mean;
    }
  const { vectors } = eigenOfLarge(reduced, size);
  return product(upper, transpose(vectors, size), size);
}

function transpose(matrix: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) result[j * size + i] = matrix[i * size + j]!;
  return result;
}

function product(a: Float64Array, b: Float64Array, size: number): Float64Array {
  const result = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let k = 0; k < size; k++) {
      const factor = a[i * size + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < size; j++) result[i * size + j]! += factor * b[k * size + j]!;
    }
  return result;
}
