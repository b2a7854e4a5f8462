import { instantiate, type KernelMemory, type SharedMemory } from '../kernels/kernel-memory.ts';
import type { Executor, Kernel } from '../kernels/parallel.ts';
import { seededRandom } from '../lib/random.ts';
import { factorsCode } from './factors-code.ts';
import { type NormalisedMatrix, normalise, type UserItems } from './normalise.ts';
import { orthonormaliser, ritzVectors } from './small-matrices.ts';

/** The leading right singular vectors, items x rank, largest first. In the kernel's memory: valid until its next use. */
export interface Factors {
  readonly rank: number;
  readonly vector: Float32Array;
}

/** Extra columns, so that the last of the requested ones are accurate too. */
const spareColumns = 32;
/** Each pass multiplies by X'X. On gowalla, four gain as much as a prototype's six on held-out events. */
const passes = 4;
/** After two passes, the columns have grown so alike that they are made orthonormal. */
const passesPerBasis = 2;
const seed = 1;
const panelColumns = 32;
const rowBytes = panelColumns * 4;

/** The kernels take their arguments in the order of assembly/factors.ts; arrays are addresses in `memory`. */
interface FactorInput {
  readonly memory: SharedMemory;
  readonly arguments: readonly number[];
}

const kernelOf = (name: string, call: string): Kernel<FactorInput> => ({
  name,
  prepare: (input) => instantiate(factorsCode, input.memory, call, input.arguments),
});

export const sparseProducts = kernelOf('sparse-products', 'sparse');
export const innerProducts = kernelOf('inner-products', 'inner');
export const transformation = kernelOf('transformation', 'transform');

/** Two tall matrices of 32-column panels, and a panel for all users: what `factorise` needs besides the pairs. */
export function factorBytes({ users, items }: { users: number; items: number }, rank: number): number {
  return 2 * panelsOf(rank) * padded(items) * rowBytes + users * rowBytes;
}

const panelsOf = (rank: number) => Math.ceil((rank + spareColumns) / panelColumns);
/** `transform` works on groups of four rows. */
const padded = (rows: number) => Math.ceil(rows / 4) * 4;

/**
 * Block power iteration (randomized subspace iteration, Halko, Martinsson and Tropp 2011) from a seeded start. The first
 * columns of a higher rank are those of a lower one, up to how accurate they are. The blocks are dense, so that
 * WebAssembly's SIMD applies; the cost is linear in pairs and in items.
 */
export async function factorise(
  matrix: UserItems,
  rank: number,
  executor: Executor,
  memory: KernelMemory,
): Promise<Factors> {
  memory.clear();
  const work = new Blocks(normalise(matrix, memory), panelsOf(rank), executor, memory);
  work.fillRandomly();
  for (let pass = 1; pass <= passes; pass++) {
    await work.multiply();
    if (pass < passes && pass % passesPerBasis === 0) {
      const inner = await work.inner('basis', 'basis');
      await work.transform(orthonormaliser(inner, work.columns), true);
    }
  }
  const inner = await work.inner('basis', 'basis');
  await work.multiply();
  const outer = await work.inner('other', 'basis');
  work.swap();
  await work.transform(ritzVectors(inner, outer, work.columns), false);
  return { rank, vector: work.rows(rank) };
}

/** Two tall matrices in panels: `basis`, and `other`, into which the next basis is written. */
class Blocks {
  readonly columns: number;
  readonly #matrix: NormalisedMatrix;
  readonly #panels: number;
  readonly #panelBytes: number;
  readonly #executor: Executor;
  readonly #memory: KernelMemory;
  readonly #ofUsers: number;
  readonly #small: Float32Array;
  readonly #pairs: Uint32Array;
  readonly #sums: Float64Array;
  #basis: Float32Array;
  #other: Float32Array;

  constructor(matrix: NormalisedMatrix, panels: number, executor: Executor, memory: KernelMemory) {
    this.#matrix = matrix;
    this.#panels = panels;
    this.columns = panels * panelColumns;
    this.#panelBytes = padded(matrix.items) * rowBytes;
    this.#executor = executor;
    this.#memory = memory;
    const size = this.columns * padded(matrix.items);
    this.#ofUsers = memory.f32(matrix.users * panelColumns).byteOffset;
    this.#small = memory.f32(this.columns * this.columns);
    const pairs = (panels * (panels + 1)) / 2;
    this.#pairs = memory.u32(2 * pairs);
    this.#sums = memory.f64(pairs * panelColumns * panelColumns);
    this.#basis = memory.f32(size);
    this.#other = memory.f32(size).fill(0);
  }

  fillRandomly(): void {
    const random = seededRandom(seed);
    const { items } = this.#matrix;
    this.#basis.fill(0);
    const rows = padded(items);
    for (let panel = 0; panel < this.#panels; panel++)
      for (let place = 0; place < items * panelColumns; place++)
        this.#basis[panel * rows * panelColumns + place] = random() - 0.5;
  }

  swap(): void {
    [this.#basis, this.#other] = [this.#other, this.#basis];
  }

  /** basis = X' X basis, panel by panel, so that only one panel has a row for every user. */
  async multiply(): Promise<void> {
    const { users, items, byUser, byItem } = this.#matrix;
    for (let panel = 0; panel < this.#panels; panel++) {
      const at = panel * this.#panelBytes;
      const ofBasis = this.#basis.byteOffset + at;
      const ofOther = this.#other.byteOffset + at;
      await this.#run(sparseProducts, [...byUser, ofBasis, this.#ofUsers], users);
      await this.#run(sparseProducts, [...byItem, this.#ofUsers, ofOther], items);
    }
    this.swap();
  }

  /** The inner products of the columns of two matrices, which must be symmetric. */
  async inner(left: 'basis' | 'other', right: 'basis' | 'other'): Promise<Float64Array> {
    const start = { basis: this.#basis.byteOffset, other: this.#other.byteOffset };
    let pair = 0;
    for (let one = 0; one < this.#panels; one++)
      for (let other = one; other < this.#panels; other++) {
        this.#pairs[pair++] = start[left] + one * this.#panelBytes;
        this.#pairs[pair++] = start[right] + other * this.#panelBytes;
      }
    this.#sums.fill(0);
    const places = [this.#pairs.byteOffset, this.#matrix.items, this.#sums.byteOffset];
    await this.#run(innerProducts, places, pair / 2);
    const { columns } = this;
    const result = new Float64Array(columns * columns);
    let place = 0;
    for (let one = 0; one < columns; one += panelColumns)
      for (let other = one; other < columns; other += panelColumns)
        for (let row = one; row < one + panelColumns; row++)
          for (let column = other; column < other + panelColumns; column++) {
            result[column * columns + row] = this.#sums[place]!;
            result[row * columns + column] = this.#sums[place++]!;
          }
    return result;
  }

  /** basis = basis * small, whose rows are given one after the other. */
  async transform(small: Float64Array, isUpper: boolean): Promise<void> {
    const { columns } = this;
    for (let row = 0; row < columns; row++)
      for (let column = 0; column < columns; column++) {
        const panel = Math.floor(column / panelColumns);
        const place = (panel * columns + row) * panelColumns + (column % panelColumns);
        this.#small[place] = small[row * columns + column]!;
      }
    const places = [this.#basis.byteOffset, this.#small.byteOffset, this.#other.byteOffset];
    const sizes = [columns, this.#panels, this.#panelBytes, isUpper ? 1 : 0];
    await this.#run(transformation, [...places, ...sizes], padded(this.#matrix.items) / 4);
    this.swap();
  }

  /** The first columns, row by row, in place of `other`. */
  rows(columns: number): Float32Array {
    const { items } = this.#matrix;
    const result = this.#other.subarray(0, items * columns);
    const panel = padded(items) * panelColumns;
    for (let item = 0; item < items; item++)
      for (let column = 0; column < columns; column++)
        result[item * columns + column] =
          this.#basis[
            Math.floor(column / panelColumns) * panel + item * panelColumns + (column % panelColumns)
          ]!;
    return result;
  }

  #run(kernel: Kernel<FactorInput>, places: readonly number[], count: number): Promise<void> {
    return this.#executor.run(kernel, { memory: this.#memory.memory, arguments: places }, count);
  }
}
