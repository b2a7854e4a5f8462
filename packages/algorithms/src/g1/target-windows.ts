import type { MatrixColumns } from './matrix.ts';
import { type Sources, sourceAt } from './sources.ts';

/** The left side of the targets of a window. */
export function placeWanted(
  { columnOffsets, columnRow, columnTarget }: MatrixColumns,
  root: Float64Array,
  targets: Uint32Array,
  offsets: Uint32Array,
  wanted: Float32Array,
): void {
  let size = 0;
  for (const [turn, target] of targets.entries()) {
    offsets[turn] = size;
    const end = columnOffsets[target + 1]!;
    for (let cell = columnOffsets[target]!; cell < end; cell++)
      wanted[size++] = root[columnRow[cell]!]! * columnTarget[cell]!;
  }
}

/** The sources of the targets of a window. */
export function placeSources(
  sources: Sources,
  targets: Uint32Array,
  offsets: Uint32Array,
  source: Uint32Array,
): void {
  let size = 0;
  for (const [turn, target] of targets.entries()) {
    offsets[turn] = size;
    const end = sources.offsets[target + 1]!;
    for (let index = sources.offsets[target]!; index < end; index++)
      source[size++] = sourceAt(sources, index);
  }
  offsets[targets.length] = size;
}

/** Puts the weights of one lane where the support has their pairs. */
export function takeWeights(
  sources: Sources,
  targets: Uint32Array,
  fitted: Float32Array,
  { lane, lanes, weight }: { lane: number; lanes: number; weight: Float32Array },
): void {
  let cell = lane;
  for (const target of targets) {
    const end = sources.offsets[target + 1]!;
    for (let index = sources.offsets[target]!; index < end; index++, cell += lanes)
      weight[sources.place[index]!] = fitted[cell]!;
  }
}
