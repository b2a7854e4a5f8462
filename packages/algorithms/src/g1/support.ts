import { countsToOffsets, sharedU32 } from '../arrays.ts';
import {
  claimScratch,
  instantiate,
  KernelMemory,
  placeCopy,
  placeScratch,
  type Scratch,
} from '../kernel-memory.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { cooccurrenceCode } from './cooccurrence-code.ts';
import type { Matrix } from './matrix.ts';

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
  /** By source, its number of targets. Those of source s begin at s * k. */
  readonly count: Uint32Array;
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
  return { tokens, k, count: sharedU32(tokens), target: sharedU32(tokens * k) };
}

/** Writes the result to `support`. */
export async function findSupport(
  matrix: Matrix,
  support: Support,
  executor: Executor,
  memory = new KernelMemory(),
): Promise<void> {
  const { k } = support;
  const { tokens, items, columnOffsets, columnRow, columnWeight } = matrix;
  memory.clear();
  const { itemOf, rankOf } = rankItems(matrix, memory);
  const targetScale = memory.f32(items);
  for (let rank = 0; rank < items; rank++)
    targetScale[rank] = Math.max(1, matrix.degree[itemOf[rank]!]!) ** targetPower;
  const found = { count: memory.u32(tokens), target: memory.u32(tokens * k) };
  // The kernel reads one place ahead.
  const columnPlace = memory.u32(columnRow.length + 1).fill(0, columnRow.length);
  for (let cell = 0; cell < columnRow.length; cell++) columnPlace[cell] = placeOf(matrix, columnRow[cell]!);
  const input: SupportInput = {
    items,
    k,
    rankOf: rankOf.byteOffset,
    itemOf: itemOf.byteOffset,
    targetScale: targetScale.byteOffset,
    columnOffsets: placeCopy(memory, columnOffsets),
    columnPlace: columnPlace.byteOffset,
    columnWeight: placeCopy(memory, columnWeight),
    rows: placeRows(matrix, rankOf, memory),
    count: found.count.byteOffset,
    target: found.target.byteOffset,
    ...placeScratch(memory),
  };
  await executor.run(cooccurrence, input, tokens);
  support.count.set(found.count);
  support.target.set(found.target);
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

/** The support by target, as the fit reads it: the sources of each target, the rarest first. */
export interface Sources {
  readonly offsets: Uint32Array;
  readonly source: Uint32Array;
}

/**
 * Rarest first, because few users determine a rare source's coefficient, and the common sources then explain only the
 * rest. Three sweeps reach what takes ten in another order (ml-1m: .2778 after three, otherwise .2713).
 */
export function rarestFirst(degree: Float64Array): Uint32Array {
  return Uint32Array.from(degree.keys()).sort((a, b) => degree[a]! - degree[b]! || a - b);
}

export function sourcesOf({ k, count, target }: Support, items: number, order: Uint32Array): Sources {
  const offsets = new Uint32Array(items + 1);
  for (const source of order)
    for (let place = source * k; place < source * k + count[source]!; place++) offsets[target[place]! + 1]!++;
  countsToOffsets(offsets);
  const cursor = offsets.slice();
  const source = new Uint32Array(offsets[items]!);
  for (const from of order)
    for (let place = from * k; place < from * k + count[from]!; place++)
      source[cursor[target[place]!]!++] = from;
  return { offsets, source };
}

/** Weights in the order of `Sources`, with those of all fits next to each other. */
export interface Fitted {
  readonly lanes: number;
  readonly weight: Float32Array;
}

/** Rearranges the weights of one fit from the order of `sourcesOf` to the support's layout, by source. */
export function bySource(
  { k, count, target }: Support,
  sources: Sources,
  order: Uint32Array,
  { weight, lanes }: Fitted,
  lane: number,
  into: Float32Array,
): void {
  const cursor = sources.offsets.slice();
  into.fill(0);
  for (const source of order)
    for (let place = source * k; place < source * k + count[source]!; place++)
      into[place] = weight[cursor[target[place]!]!++ * lanes + lane]!;
}
