import type { Window } from './windows.ts';

/** Sparse rows, one directly after the other: those of row r are from offsets[r] to offsets[r + 1]. */
export interface Entries {
  readonly offsets: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

interface Column {
  readonly from: Uint32Array | Float32Array;
  readonly to: Uint32Array | Float32Array;
}

/** Appends a window of rows, each of which has room for `k` entries in `from`. All rows before must be there already. */
export function appendRows(
  offsets: Uint32Array,
  { from: first, to: last }: Window,
  k: number,
  count: Uint32Array,
  columns: readonly Column[],
): void {
  for (let row = first; row < last; row++) {
    const begin = (row - first) * k;
    const size = count[row - first]!;
    const place = offsets[row]!;
    for (const { from, to } of columns) to.set(from.subarray(begin, begin + size), place);
    offsets[row + 1] = place + size;
  }
}
