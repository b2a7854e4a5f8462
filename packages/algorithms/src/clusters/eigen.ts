/** The eigenvalues of a symmetric matrix, the largest first, and its eigenvectors as columns. */
export interface Eigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

/** Each sweep squares the off-diagonal remainder. Ten are always enough for the at most 50 columns used here. */
const maxSweeps = 30;

/** Jacobi rotations: slow in theory, but exact, and fast enough for matrices of a few dozen rows. */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const a = matrix.slice();
  const v = new Float64Array(size * size);
  for (let index = 0; index < size; index++) v[index * size + index] = 1;
  const total = a.reduce((sum, value) => sum + value * value, 0);
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    let beside = 0;
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) beside += a[p * size + q]! * a[p * size + q]!;
    if (!(beside > total * 1e-30)) break;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
  }
  const order = Array.from({ length: size }, (_, index) => index).sort(
    (one, other) => a[other * size + other]! - a[one * size + one]! || one - other,
  );
  const values = Float64Array.from(order, (index) => a[index * size + index]!);
  const vectors = new Float64Array(size * size);
  for (const [to, from] of order.entries())
    for (let row = 0; row < size; row++) vectors[row * size + to] = v[row * size + from]!;
  return { values, vectors };
}

/** Rotates the plane of p and q so that a[p, q] becomes 0. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q]!;
  if (apq === 0) return;
  const theta = (a[q * size + q]! - a[p * size + p]!) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(t * t + 1);
  const sine = t * cosine;
  for (let row = 0; row < size; row++) {
    const x = a[row * size + p]!;
    const y = a[row * size + q]!;
    a[row * size + p] = cosine * x - sine * y;
    a[row * size + q] = sine * x + cosine * y;
  }
  for (let column = 0; column < size; column++) {
    const x = a[p * size + column]!;
    const y = a[q * size + column]!;
    a[p * size + column] = cosine * x - sine * y;
    a[q * size + column] = sine * x + cosine * y;
  }
  for (let row = 0; row < size; row++) {
    const x = v[row * size + p]!;
    const y = v[row * size + q]!;
    v[row * size + p] = cosine * x - sine * y;
    v[row * size + q] = sine * x + cosine * y;
  }
}
