import { countsToOffsets, sharedF32, sharedU32 } from '../arrays.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';
import type { Matrix } from './matrix.ts';

/**
 * Which targets a source may speak for: those that occur with it most. For each source token i, over the users that
 * have it, raw_ij = sum of R_ui * Y_uj * d_u^-0.6; kept are the K items with the largest raw_ij * d_j^-0.2. One row at
 * a time: the co-occurrence matrix is never held.
 *
 * Cut by source, not by target: cut by target, popular targets lose their evidence (gowalla, K = 200: recall .170
 * instead of .192).
 */
export interface Support {
  readonly tokens: number;
  readonly k: number;
  /** The targets of source s begin at s * k; so many are there. */
  readonly count: Uint32Array;
  readonly target: Uint32Array;
}

/** A long history says less about each pair in it. Measured in the prototype, together with the next. */
const historyPower = -0.6;
/** Popular targets are held back a little, or every source would list the same ones. */
const targetPower = -0.2;

interface SupportInput extends Support {
  readonly items: number;
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  readonly wanted: Float32Array;
  readonly columnOffsets: Uint32Array;
  readonly columnRow: Uint32Array;
  readonly columnWeight: Float32Array;
  readonly rowWeight: Float32Array;
  readonly targetScale: Float32Array;
}

/** Fills the support of the sources from `from` to `to`. */
function prepare(input: SupportInput): (from: number, to: number) => void {
  const { items, offsets, item, wanted, columnOffsets, columnRow, columnWeight, k } = input;
  const { rowWeight, targetScale, count, target } = input;
  const sum = new Float64Array(items);
  const touched = new Uint32Array(items);
  const best = new TopK(k);
  return (from, to) => {
    for (let source = from; source < to; source++) {
      let size = 0;
      for (let cell = columnOffsets[source]!; cell < columnOffsets[source + 1]!; cell++) {
        const row = columnRow[cell]!;
        const weight = columnWeight[cell]! * rowWeight[row]!;
        // Below, a sum of 0 means that its item was not met yet.
        if (weight === 0) continue;
        const end = offsets[row + 1]!;
        for (let place = offsets[row]!; place < end; place++) {
          const other = item[place]!;
          const before = sum[other]!;
          if (before === 0) touched[size++] = other;
          sum[other] = before + weight * wanted[place]!;
        }
      }
      best.clear();
      for (let index = 0; index < size; index++) {
        const other = touched[index]!;
        const raw = sum[other]!;
        sum[other] = 0;
        if (other !== source) best.offer(other, raw * targetScale[other]!);
      }
      target.set(best.indices.subarray(0, best.size), source * k);
      count[source] = best.size;
    }
  };
}

export const cooccurrence: Kernel<SupportInput> = { name: 'cooccurrence', prepare };

export async function findSupport(matrix: Matrix, k: number, executor: Executor): Promise<Support> {
  const { tokens, items, offsets, item, wanted, columnOffsets, columnRow, columnWeight } = matrix;
  const rowWeight = sharedF32(matrix.rows);
  for (let row = 0; row < matrix.rows; row++) {
    const degree = matrix.rowDegree[row]!;
    rowWeight[row] = degree > 0 ? matrix.rowTrust[row]! * degree ** historyPower : 0;
  }
  const targetScale = sharedF32(items);
  for (let index = 0; index < items; index++)
    targetScale[index] = Math.max(1, matrix.degree[index]!) ** targetPower;
  const support = { tokens, k, count: sharedU32(tokens), target: sharedU32(tokens * k) };
  const input: SupportInput = {
    ...support,
    ...{ items, offsets, item, wanted, columnOffsets, columnRow, columnWeight, rowWeight, targetScale },
  };
  await executor.run(cooccurrence, input, tokens);
  return support;
}

/** The support seen from the targets, as the fit walks it: for each target its sources, the rarest first. */
export interface Sources {
  readonly offsets: Uint32Array;
  readonly source: Uint32Array;
}

/**
 * Rarest first, because a rare source's coefficient is settled by few users, and what the common ones then explain is
 * only what is left: three sweeps reach what takes ten in another order (ml-1m: .2778 against .2713 after three).
 */
export function rarestFirst(degree: Float64Array): Uint32Array {
  return Uint32Array.from(degree.keys()).sort((a, b) => degree[a]! - degree[b]! || a - b);
}

export function sourcesOf({ k, count, target }: Support, items: number, order: Uint32Array): Sources {
  const offsets = sharedU32(items + 1);
  for (const source of order)
    for (let place = source * k; place < source * k + count[source]!; place++) offsets[target[place]! + 1]!++;
  countsToOffsets(offsets);
  const cursor = offsets.slice();
  const source = sharedU32(offsets[items]!);
  for (const from of order)
    for (let place = from * k; place < from * k + count[from]!; place++)
      source[cursor[target[place]!]!++] = from;
  return { offsets, source };
}

/** The fitted weights, which are in the order of `sourcesOf`, laid out by source as the support is. */
export function bySource(
  support: Support,
  sources: Sources,
  order: Uint32Array,
  fitted: Float32Array,
): Float32Array {
  const { k, count, target } = support;
  const cursor = sources.offsets.slice();
  const weight = sharedF32(target.length);
  for (const source of order)
    for (let place = source * k; place < source * k + count[source]!; place++)
      weight[place] = fitted[cursor[target[place]!]!++]!;
  return weight;
}
