import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { sharedU32 } from '../../lib/arrays.ts';
import { cutWindows, sumOf } from './windows.ts';

/** Sparse rows. The cells of row r are from begin[r] to end[r]. */
export interface RowCells {
  readonly rows: number;
  /** The order in which columns list the rows, if it is not that of their numbers. */
  readonly order?: Uint32Array;
  readonly begin: Uint32Array;
  readonly end: Uint32Array;
  readonly column: Uint32Array;
}

/** A stable counting sort of cells by column. The rows are cut into parts, which threads sort at the same time. */
export interface CountingSort extends RowCells {
  readonly columns: number;
  /** Where each part of the rows begins, and where the last ends. */
  readonly parts: Uint32Array;
  /** By part and column: at first how many cells there are, then where the next one goes. */
  readonly cursor: Uint32Array;
}

/** Cursors take 4 bytes per part and column. More parts would help only with more than eight threads. */
const maxParts = 8;
/** Cursors take at most one byte per cell, beside the 8 or more that the cells take themselves. */
const cellsPerCursor = 4;

/** Calls `sortRow` for each row of the parts that a kernel is run on, with the cursors of its part. */
export function overParts(
  { order, columns, parts, cursor }: CountingSort,
  sortRow: (row: number, cursor: Uint32Array) => void,
): (from: number, to: number) => void {
  return (from, to) => {
    for (let part = from; part < to; part++) {
      const own = cursor.subarray(part * columns, (part + 1) * columns);
      for (let turn = parts[part]!; turn < parts[part + 1]!; turn++)
        sortRow(order ? order[turn]! : turn, own);
    }
  };
}

export const cellCounts: Kernel<CountingSort> = {
  name: 'cell counts',
  prepare: (sort) => {
    const { begin, end, column } = sort;
    return overParts(sort, (row, count) => {
      const last = end[row]!;
      for (let cell = begin[row]!; cell < last; cell++) count[column[cell]!]!++;
    });
  },
};

/** Counts cells, so that a second kernel can put each where the cursor of its part and column is. The places do not depend on the parts. */
export async function beginSort(
  rows: RowCells,
  columns: number,
  executor: Executor,
): Promise<{ sort: CountingSort; offsets: Uint32Array<SharedArrayBuffer> }> {
  const parts = cutRows(rows, columns);
  const count = parts.length - 1;
  const cursor = sharedU32(count * columns);
  const sort = { ...rows, columns, parts, cursor };
  await executor.run(cellCounts, sort, count);
  const offsets = sharedU32(columns + 1);
  let next = 0;
  for (let column = 0; column < columns; column++) {
    for (let place = column; place < cursor.length; place += columns) {
      const cells = cursor[place]!;
      cursor[place] = next;
      next += cells;
    }
    offsets[column + 1] = next;
  }
  return { sort, offsets };
}

/** Cuts rows into parts with about the same number of cells. */
function cutRows({ rows, order, begin, end }: RowCells, columns: number): Uint32Array {
  const cellsOf = (turn: number) => {
    const row = order ? order[turn]! : turn;
    return end[row]! - begin[row]!;
  };
  const cells = sumOf({ from: 0, to: rows }, cellsOf);
  const count = Math.min(maxParts, Math.max(1, Math.floor(cells / (cellsPerCursor * (columns + 1)))));
  const windows = cutWindows(rows, cellsOf, Infinity, count);
  const parts = sharedU32(windows.length + 1);
  for (const [part, { to }] of windows.entries()) parts[part + 1] = to;
  return parts;
}
