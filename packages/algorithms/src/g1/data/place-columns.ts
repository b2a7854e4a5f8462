import type { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import type { MatrixColumns } from './matrix.ts';

interface ColumnsInput extends Pick<MatrixColumns, 'columnOffsets' | 'columnRow' | 'columnWeight'> {
  readonly root: Float64Array;
  /** Of each cell, the row and then the weight. */
  readonly row: Uint32Array;
  readonly weight: Float32Array;
  readonly norm: Float64Array;
}

function prepare(input: ColumnsInput): (from: number, to: number) => void {
  const { columnOffsets, columnRow, columnWeight, root, row, weight, norm } = input;
  return (from, to) => {
    for (let token = from; token < to; token++) {
      let sum = 0;
      const end = columnOffsets[token + 1]!;
      for (let cell = columnOffsets[token]!; cell < end; cell++) {
        const value = Math.fround(root[columnRow[cell]!]! * columnWeight[cell]!);
        row[2 * cell] = columnRow[cell]!;
        weight[2 * cell + 1] = value;
        sum += value ** 2;
      }
      norm[token] = sum;
    }
  };
}

export const columnLayout: Kernel<ColumnsInput> = { name: 'column layout', prepare };

/** Places the columns in the layout that the regression reads, with their squared norms. */
export async function placeColumns(
  { tokens, columnOffsets, columnRow, columnWeight }: MatrixColumns,
  root: Float64Array,
  memory: KernelMemory,
  executor: Executor,
): Promise<{ cells: number; norm: number }> {
  const weight = memory.f32(2 * columnRow.length);
  const row = new Uint32Array(weight.buffer, weight.byteOffset, weight.length);
  const norm = memory.f64(tokens);
  const input = { columnOffsets, columnRow, columnWeight, root, row, weight, norm };
  await executor.run(columnLayout, input, tokens);
  return { cells: weight.byteOffset, norm: norm.byteOffset };
}
