import { instantiate, KernelMemory } from '../kernel-memory.ts';
import { rerankCode } from './rerank-code.ts';

/** Factors of items in 8 bits, `rank` per item. */
export interface ByteFactors {
  readonly rank: number;
  readonly factor: Int8Array;
}

/** A combination of factors in 16 bits: `scale` times `values`. */
export interface Query {
  readonly scale: number;
  readonly values: Int16Array;
}

/** Rows that are in the kernel's memory at a time. */
const batch = 256;
const querySteps = 32767;

/**
 * A thread's scratch memory for one rank, filled anew in every call. One for all models: a memory reserves 4 GiB of
 * addresses.
 */
interface Scratch {
  readonly rank: number;
  readonly stride: number;
  readonly rows: Int8Array;
  readonly weight: Float32Array;
  readonly sums: Float32Array;
  readonly query: Int16Array;
  readonly products: Int32Array;
  readonly combine: (from: number, to: number) => void;
  readonly match: (from: number, to: number) => void;
}
let memory: KernelMemory | undefined;
let scratch: Scratch | undefined;

function scratchFor(rank: number): Scratch {
  if (scratch?.rank === rank) return scratch;
  memory ??= new KernelMemory();
  memory.clear();
  const stride = Math.ceil(rank / 16) * 16;
  const rowWords = memory.u32((batch * stride) / 4);
  const weight = memory.f32(batch);
  const sums = memory.f32(stride);
  const queryWords = memory.u32(stride / 2);
  const productWords = memory.u32(batch);
  const rows = new Int8Array(rowWords.buffer, rowWords.byteOffset, batch * stride);
  const query = new Int16Array(queryWords.buffer, queryWords.byteOffset, stride);
  const products = new Int32Array(productWords.buffer, productWords.byteOffset, batch);
  // What is beyond the rank in a row has no influence, because the query is 0 there.
  query.fill(0);
  const combine = instantiate(rerankCode, memory.memory, 'combine', [
    stride,
    rows.byteOffset,
    weight.byteOffset,
    sums.byteOffset,
  ]);
  const match = instantiate(rerankCode, memory.memory, 'match', [
    stride,
    rows.byteOffset,
    query.byteOffset,
    products.byteOffset,
  ]);
  scratch = { rank, stride, rows, weight, sums, query, products, combine, match };
  return scratch;
}

/** Calls `run` for batches of items, whose factors are then in the rows of the scratch memory. */
function inBatches(
  items: ArrayLike<number>,
  { rank, factor }: ByteFactors,
  { stride, rows }: Scratch,
  run: (from: number, count: number) => void,
): void {
  for (let from = 0; from < items.length; from += batch) {
    const count = Math.min(batch, items.length - from);
    for (let row = 0; row < count; row++) {
      const first = items[from + row]! * rank;
      rows.set(factor.subarray(first, first + rank), row * stride);
    }
    run(from, count);
  }
}

/** The sum of the items' factors, each times its weight. */
export function combineFactors(
  items: ArrayLike<number>,
  weights: ArrayLike<number>,
  factors: ByteFactors,
): Query {
  const { rank } = factors;
  const own = scratchFor(rank);
  const { weight, sums, combine } = own;
  sums.fill(0);
  inBatches(items, factors, own, (from, count) => {
    for (let row = 0; row < count; row++) weight[row] = weights[from + row]!;
    combine(0, count);
  });
  let largest = 0;
  for (let k = 0; k < rank; k++) largest = Math.max(largest, Math.abs(sums[k]!));
  const scale = Number.isFinite(largest) ? largest / querySteps : 0;
  const values = new Int16Array(rank);
  if (scale > 0) for (let k = 0; k < rank; k++) values[k] = Math.round(sums[k]! / scale);
  return { scale, values };
}

/** The inner product of the query with the factors of each item. */
export function matchFactors(items: ArrayLike<number>, query: Query, factors: ByteFactors): Float64Array {
  const own = scratchFor(factors.rank);
  own.query.set(query.values);
  const result = new Float64Array(items.length);
  inBatches(items, factors, own, (from, count) => {
    own.match(0, count);
    for (let row = 0; row < count; row++) result[from + row] = query.scale * own.products[row]!;
  });
  return result;
}
