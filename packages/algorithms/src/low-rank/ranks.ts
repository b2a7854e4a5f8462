import { factorBytes } from './factors.ts';

/** The ranks and weights that a search tries; 0 leaves the low-rank part out. */
const ranks = [64, 128, 256, 512];
export const lowRankWeights = [0.1, 0.2, 0.4, 0.7];

/** Fewer items or users per rank would leave nothing to generalize: the factors would repeat the pairs. */
const fewestPerRank = 4;
/** Bounds the memory of a training and of a model: 128 MiB for factors of 4 bytes, 32 MiB in the model. */
const maxFactors = 2 ** 25;
/** Of the 4 GiB that a kernel reaches. */
const maxKernelBytes = 3.5 * 2 ** 30;
/** By user and by item, an index and a value. */
const bytesPerPair = 16;

interface MatrixSize {
  readonly users: number;
  readonly items: number;
  readonly pairs: number;
}

/** The ranks worth trying: none for little data or beyond a kernel's memory. `whole`: what will be fitted, if this is a sample. */
export function ranksFor(size: MatrixSize, whole: MatrixSize = size): number[] {
  const { users, items } = size;
  return ranks.filter(
    (rank) =>
      rank * fewestPerRank <= Math.min(users, items) &&
      rank * items <= maxFactors &&
      factorBytes(whole, rank) + bytesPerPair * whole.pairs <= maxKernelBytes,
  );
}
