import { instantiate, KernelMemory } from '../kernels/kernel-memory.ts';
import { rerankCode } from './rerank-code.ts';

/** Factors of items in 8 bits, `rank` per item. */
export interface ByteFactors {
  readonly rank: number;
  readonly factor: Int8Array;
}

/** A combination of factors: `scale` times 16-bit values in the scratch memory, until the next one is combined. */
export interface Query {
  readonly scale: number;
}

/** Rows that are in the kernel's memory at a time. */
const batch = 256;
const querySteps = 32767;

/** A thread's scratch memory for one rank, filled anew in every call. One for all models: a memory reserves 4 GiB of addresses. */
interface Scratch {
  readonly rank: number;
  readonly stride: number;
  readonly rows: Int8Array;
  /** The same memory in words of 4 bytes. */
  readonly rowWords: Uint32Array;
  readonly weight: Float32Array;
  readonly sums: Float32Array;
  readonly query: Int16Array;
  readonly products: Int32Array;
  readonly results: Float64Array;
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
  const results = new Float64Array(batch);
  scratch = { rank, stride, rows, rowWords, weight, sums, query, products, results, combine, match };
  return scratch;
}

/** The factors in words of 4 bytes, if they can be read so. The last model's are kept: many calls in a row use the same. */
let latest: { readonly factor: Int8Array; readonly words: Uint32Array | undefined } | undefined;

function wordsOf({ rank, factor }: ByteFactors): Uint32Array | undefined {
  if (latest?.factor !== factor) {
    const { buffer, byteOffset, byteLength } = factor;
    const isAligned = rank % 4 === 0 && byteOffset % 4 === 0;
    latest = { factor, words: isAligned ? new Uint32Array(buffer, byteOffset, byteLength / 4) : undefined };
  }
  return latest.words;
}

/** Calls `run` for batches of items, whose factors are then in the rows of the scratch memory. */
function inBatches(
  items: ArrayLike<number>,
  factors: ByteFactors,
  { stride, rows, rowWords }: Scratch,
  run: (from: number, count: number) => void,
): void {
  const { rank, factor } = factors;
  const words = wordsOf(factors);
  for (let from = 0; from < items.length; from += batch) {
    const count = Math.min(batch, items.length - from);
    for (let row = 0; row < count; row++) {
      const first = items[from + row]! * rank;
      // A loop takes a third of the time of `set`, which costs more than the bytes of a row.
      if (words) copyWords(words, first / 4, rowWords, (row * stride) / 4, rank / 4);
      else rows.set(factor.subarray(first, first + rank), row * stride);
    }
    run(from, count);
  }
}

function copyWords(from: Uint32Array, start: number, to: Uint32Array, place: number, count: number): void {
  for (let word = 0; word < count; word++) to[place + word] = from[start + word]!;
}

/** The sum of the items' factors, each times its weight. */
export function combineFactors(
  items: ArrayLike<number>,
  weights: ArrayLike<number>,
  factors: ByteFactors,
): Query {
  const { rank } = factors;
  const own = scratchFor(rank);
  const { weight, sums, query, combine } = own;
  sums.fill(0);
  inBatches(items, factors, own, (from, count) => {
    for (let row = 0; row < count; row++) weight[row] = weights[from + row]!;
    combine(0, count);
  });
  let largest = 0;
  for (let k = 0; k < rank; k++) largest = Math.max(largest, Math.abs(sums[k]!));
  const scale = Number.isFinite(largest) ? largest / querySteps : 0;
  // What is beyond the rank stays 0.
  for (let k = 0; k < rank; k++) query[k] = scale > 0 ? Math.round(sums[k]! / scale) : 0;
  return { scale };
}

/** The inner product of the query with the factors of each item. Valid until the next call. */
export function matchFactors(items: ArrayLike<number>, query: Query, factors: ByteFactors): Float64Array {
  const own = scratchFor(factors.rank);
  const { products } = own;
  const result = items.length <= batch ? own.results : new Float64Array(items.length);
  inBatches(items, factors, own, (from, count) => {
    own.match(0, count);
    for (let row = 0; row < count; row++) result[from + row] = query.scale * products[row]!;
  });
  return result;
}
