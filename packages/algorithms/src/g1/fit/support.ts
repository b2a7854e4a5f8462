import {
  claimScratch,
  instantiate,
  KernelMemory,
  placeScratch,
  type Scratch,
} from '../../kernels/kernel-memory.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { countsToOffsets, sharedU32 } from '../../lib/arrays.ts';
import { appendRows } from '../data/entries.ts';
import type { Matrix } from '../data/matrix.ts';
import {
  cutWindows,
  defaultWindowBytes,
  largestOf,
  type Window,
  type WindowOptions,
} from '../data/windows.ts';
import { cooccurrenceCode } from './cooccurrence-code.ts';

/**
 * Which targets a source can predict: those that occur with it most. For each source token i, over the users that have
 * it, raw_ij = sum of R_ui * Y_uj * d_u^-0.6; the K items with the largest raw_ij * d_j^-0.2 are kept. Computed row by
 * row, so that the co-occurrence matrix is never in memory. In WebAssembly (docs/decisions/kernels.md).
 *
 * Limited per source, not per target: with a limit per target, popular targets lose their evidence (gowalla, K = 200:
 * recall .170 instead of .192).
 */
export interface Support {
  readonly tokens: number;
  readonly k: number;
  /** By source, where its targets begin: one source directly after the other, since rare ones have fewer than K. */
  readonly offsets: Uint32Array;
  /** Has room for K per source. What is not used takes no memory. */
  readonly target: Uint32Array;
}

/** A long history says less about each pair in it. Measured in the prototype, together with `targetPower`. */
const historyPower = -0.6;
/** Popular targets are weighted down slightly; otherwise every source would list the same ones. */
const targetPower = -0.2;

/** The kernel's arguments: see assembly/cooccurrence.ts. Arrays are addresses in `memory`. */
interface SupportInput extends Scratch {
  readonly items: number;
  readonly k: number;
  readonly columnOffsets: number;
  readonly columnPlace: number;
  readonly columnWeight: number;
  readonly rows: number;
  readonly rankOf: number;
  readonly itemOf: number;
  readonly targetScale: number;
  readonly count: number;
  readonly target: number;
}

/** For the counts of the kernel's radix selection. */
const countsBytes = 2048 * 4;

/** Fills the support of the sources from `from` to `to`. */
function prepare(input: SupportInput): (from: number, to: number) => void {
  const { items } = input;
  // Per item 8 bytes for the sum and 4 each for `touched` and `score`, plus one extra place in `touched`.
  const sum = claimScratch(input, items * 16 + 4 + countsBytes);
  const touched = sum + items * 8;
  const score = touched + (items + 1) * 4;
  return instantiate(cooccurrenceCode, input.memory, 'support', [
    input.k,
    input.columnOffsets,
    input.columnPlace,
    input.columnWeight,
    input.rows,
    input.rankOf,
    input.itemOf,
    input.targetScale,
    input.count,
    input.target,
    sum,
    touched,
    score,
    score + items * 4,
  ]);
}

export const cooccurrence: Kernel<SupportInput> = { name: 'cooccurrence', prepare };

export function emptySupport(tokens: number, k: number): Support {
  return { tokens, k, offsets: sharedU32(tokens + 1), target: sharedU32(tokens * k) };
}

/** Writes the result to `support`, a window of sources after the other: only their columns and targets are in `memory`. */
export async function findSupport(
  matrix: Matrix,
  support: Support,
  executor: Executor,
  { memory = new KernelMemory(), windowBytes = defaultWindowBytes }: WindowOptions = {},
): Promise<void> {
  const { k } = support;
  const { tokens, items, columnOffsets } = matrix;
  const cellsOf = ({ from, to }: Window) => columnOffsets[to]! - columnOffsets[from]!;
  const bytesOf = (source: number) => 8 + 4 * k + 8 * cellsOf({ from: source, to: source + 1 });
  const windows = cutWindows(tokens, bytesOf, windowBytes);
  memory.clear();
  const { itemOf, rankOf } = rankItems(matrix, memory);
  const targetScale = memory.f32(items);
  for (let rank = 0; rank < items; rank++)
    targetScale[rank] = Math.max(1, matrix.degree[itemOf[rank]!]!) ** targetPower;
  const rows = placeRows(matrix, rankOf, memory);
  const sources = largestOf(windows, ({ from, to }) => to - from);
  const cells = largestOf(windows, cellsOf);
  const columns: Columns = {
    offsets: memory.u32(sources + 1),
    // The kernel reads one place ahead.
    place: memory.u32(cells + 1),
    weight: memory.f32(cells),
  };
  const found = { count: memory.u32(sources), target: memory.u32(sources * k) };
  const { end } = memory;
  for (const window of windows) {
    placeColumns(matrix, window, columns);
    memory.end = end;
    const input: SupportInput = {
      items,
      k,
      rows,
      rankOf: rankOf.byteOffset + 4 * window.from,
      itemOf: itemOf.byteOffset,
      targetScale: targetScale.byteOffset,
      columnOffsets: columns.offsets.byteOffset,
      columnPlace: columns.place.byteOffset,
      columnWeight: columns.weight.byteOffset,
      count: found.count.byteOffset,
      target: found.target.byteOffset,
      ...placeScratch(memory),
    };
    await executor.run(cooccurrence, input, window.to - window.from);
    appendRows(support.offsets, window, k, found.count, [{ from: found.target, to: support.target }]);
  }
}

/** The columns of a window: where the rows of a source's users begin, and how much of it they have. */
interface Columns {
  readonly offsets: Uint32Array;
  readonly place: Uint32Array;
  readonly weight: Float32Array;
}

function placeColumns(matrix: Matrix, { from, to }: Window, { offsets, place, weight }: Columns): void {
  const { columnOffsets, columnRow, columnWeight } = matrix;
  const [first, end] = [columnOffsets[from]!, columnOffsets[to]!];
  for (let source = from; source <= to; source++) offsets[source - from] = columnOffsets[source]! - first;
  for (let cell = first; cell < end; cell++) place[cell - first] = placeOf(matrix, columnRow[cell]!);
  place[end - first] = 0;
  weight.set(columnWeight.subarray(first, end));
}

/**
 * Numbers items by how many users have them, the most popular first: most sums are then in a small part of the memory,
 * which stays in the caches however many items there are. Other tokens keep their numbers.
 */
function rankItems({ users, items, tokens, columnOffsets }: Matrix, memory: KernelMemory) {
  const first = new Uint32Array(users + 2);
  const placeOfLength = (item: number) => users - (columnOffsets[item + 1]! - columnOffsets[item]!);
  for (let item = 0; item < items; item++) first[placeOfLength(item) + 1]!++;
  countsToOffsets(first);
  const itemOf = memory.u32(items);
  const rankOf = memory.u32(tokens);
  for (let item = 0; item < items; item++) {
    const rank = first[placeOfLength(item)]!++;
    itemOf[rank] = item;
    rankOf[item] = rank;
  }
  for (let token = items; token < tokens; token++) rankOf[token] = token;
  return { itemOf, rankOf };
}

/** Where the row of a user begins, in units of eight bytes: after those of all users before, and their heads. */
const placeOf = ({ offsets }: Matrix, row: number) => offsets[row]! + row;

/** Rows as the kernel reads them, all that it needs of a user in one place: eight bytes per user and per item. */
function placeRows(matrix: Matrix, rankOf: Uint32Array, memory: KernelMemory): number {
  const { users, offsets, item, target, rowDegree } = matrix;
  const weight = memory.f32(2 * placeOf(matrix, users));
  const number = new Uint32Array(weight.buffer, weight.byteOffset, weight.length);
  for (let row = 0; row < users; row++) {
    const degree = rowDegree[row]!;
    let place = 2 * placeOf(matrix, row);
    number[place] = offsets[row + 1]! - offsets[row]!;
    weight[place + 1] = degree > 0 ? degree ** historyPower : 0;
    for (let cell = offsets[row]!; cell < offsets[row + 1]!; cell++) {
      place += 2;
      number[place] = rankOf[item[cell]!]!;
      weight[place + 1] = target[cell]!;
    }
  }
  return weight.byteOffset;
}
