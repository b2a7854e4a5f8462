import type { MemoryView } from '../parallel.ts';
import type { MatrixColumns } from './matrix.ts';
import { placeAt, type Sources, sourceAt } from './sources.ts';

/** The left side of the targets of a window. Returns the parts of the arrays that it uses. */
export function placeWanted(
  { columnOffsets, columnRow, columnTarget }: MatrixColumns,
  root: Float64Array,
  targets: Uint32Array,
  offsets: Uint32Array<SharedArrayBuffer>,
  wanted: Float32Array<SharedArrayBuffer>,
): MemoryView[] {
  let size = 0;
  for (const [turn, target] of targets.entries()) {
    offsets[turn] = size;
    const end = columnOffsets[target + 1]!;
    for (let cell = columnOffsets[target]!; cell < end; cell++)
      wanted[size++] = root[columnRow[cell]!]! * columnTarget[cell]!;
  }
  return [offsets.subarray(0, targets.length), wanted.subarray(0, size)];
}

/** The sources of the targets of a window. Returns the parts of the arrays that it uses. */
export function placeSources(
  sources: Sources,
  targets: Uint32Array,
  offsets: Uint32Array<SharedArrayBuffer>,
  source: Uint32Array<SharedArrayBuffer>,
): MemoryView[] {
  let size = 0;
  for (const [turn, target] of targets.entries()) {
    offsets[turn] = size;
    const end = sources.offsets[target + 1]!;
    for (let index = sources.offsets[target]!; index < end; index++)
      source[size++] = sourceAt(sources, index);
  }
  offsets[targets.length] = size;
  return [offsets.subarray(0, targets.length + 1), source.subarray(0, size)];
}

/** Puts the weights of each lane where the support has their pairs. */
export function takeWeights(
  sources: Sources,
  targets: Uint32Array,
  fitted: Float32Array,
  lanes: number,
  weights: readonly Float32Array[],
): void {
  let cell = 0;
  for (const target of targets) {
    const end = sources.offsets[target + 1]!;
    for (let index = sources.offsets[target]!; index < end; index++, cell += lanes) {
      const place = placeAt(sources, index);
      for (let lane = 0; lane < weights.length; lane++) weights[lane]![place] = fitted[cell + lane]!;
    }
  }
}
