import { eventScale } from '../../data/event-weight.ts';
import type { Incidence } from '../../data/incidence.ts';
import type { Interactions } from '../../data/interactions.ts';
import type { Executor } from '../../kernels/parallel.ts';
import { countsToOffsets, sharedF32, sharedF64, sharedU32 } from '../../lib/arrays.ts';
import { beginSort, type RowCells } from './counting-sort.ts';
import { columnDegrees, matrixColumns, matrixRows } from './matrix-kernels.ts';

export interface MatrixOptions {
  /** By event type; type 0, the target, is first. */
  readonly typeWeights: readonly number[];
  /** How much events of other types count on the left side of the regression, relative to their weight. */
  readonly outcome?: number;
  readonly userAttributes?: Incidence | undefined;
}

const noAttributes: Incidence = {
  rows: 0,
  columns: 0,
  offsets: new Uint32Array(1),
  column: new Uint32Array(),
};

/**
 * R, by row and by column. Tokens are the items, then the values of user attributes, then one token that every user
 * has. Rows are the users. Rows list only items that have a target
 * event, because the support (which targets a source can predict) reads only targets from a row. Until they are
 * released, rows take 8 bytes per event. Columns take 8 per pair of user and item. With a second event type, it is 12
 * each. All arrays are in shared memory.
 */
export interface Matrix {
  readonly users: number;
  readonly items: number;
  readonly tokens: number;
  readonly offsets: Uint32Array;
  readonly item: Uint32Array;
  /** The left side of the regression: the weight from target events, and from others as far as `outcome` says. */
  readonly target: Float32Array;
  readonly columnOffsets: Uint32Array;
  readonly columnRow: Uint32Array;
  readonly columnWeight: Float32Array;
  /** `target` by item; the same array as `columnWeight` where there is one event type. */
  readonly columnTarget: Float32Array;
  /** d_u of the rows: the sum of their item weights. */
  readonly rowDegree: Float64Array;
  /** d_i of the tokens. */
  readonly degree: Float64Array;
}

/** All but the rows, which only the support reads. */
export type MatrixColumns = Omit<Matrix, 'offsets' | 'item' | 'target'>;

/** Keeps nothing of the rows, so that their memory can be released. */
export function columnsOf(matrix: Matrix): MatrixColumns {
  const { users, items, tokens, rowDegree, degree } = matrix;
  const { columnOffsets, columnRow, columnWeight, columnTarget } = matrix;
  return { users, items, tokens, rowDegree, degree, columnOffsets, columnRow, columnWeight, columnTarget };
}

/** The same to the byte for any number of threads. */
export async function buildMatrix(
  events: Interactions,
  options: MatrixOptions,
  executor: Executor,
): Promise<Matrix> {
  const { users, items, offsets: begin } = events;
  const { typeWeights, outcome = 0, userAttributes = noAttributes } = options;
  const scale = eventScale(events, typeWeights);
  const plain = typeWeights.slice(1).every((weight) => weight === 0) || !events.type.some((type) => type);
  const end = sharedU32(users);
  const item = sharedU32(events.item.length);
  const weight = sharedF32(events.item.length);
  const target = plain ? undefined : sharedF32(events.item.length);
  const rowDegree = sharedF64(users);
  await executor.run(matrixRows, { events, scale, outcome, end, item, weight, target, rowDegree }, users);
  const rows = { rows: users, begin, end, column: item, weight, target };
  const columns = await byColumn(rows, items, userAttributes, executor);
  return { users, items, rowDegree, ...columns, ...keepTargets(begin, end, item, target ?? weight) };
}

interface Rows extends RowCells {
  readonly weight: Float32Array;
  readonly target: Float32Array | undefined;
}

async function byColumn(rows: Rows, items: number, attributes: Incidence, executor: Executor) {
  const users = rows.rows;
  const tokens = items + attributes.columns + 1;
  const { sort, offsets } = await beginSort(rows, items, executor);
  const columnOffsets = sharedU32(tokens + 1);
  columnOffsets.set(offsets);
  const described = Math.min(users, attributes.rows);
  for (let cell = 0; cell < attributes.offsets[described]!; cell++)
    columnOffsets[items + attributes.column[cell]! + 1]!++;
  columnOffsets[tokens] = users;
  countsToOffsets(columnOffsets.subarray(items));

  const columnRow = sharedU32(columnOffsets[tokens]);
  const columnWeight = sharedF32(columnRow.length);
  const columnTarget = rows.target ? sharedF32(offsets[items]!) : columnWeight;
  const { weight, target } = rows;
  const input = { ...sort, weight, target, columnRow, columnWeight, columnTarget };
  await executor.run(matrixColumns, input, sort.parts.length - 1);

  // The other tokens have far fewer cells, which this thread fills.
  columnWeight.fill(1, offsets[items]);
  const cursor = columnOffsets.slice(items);
  for (let user = 0; user < described; user++)
    for (let cell = attributes.offsets[user]!; cell < attributes.offsets[user + 1]!; cell++)
      columnRow[cursor[attributes.column[cell]!]!++] = user;
  const everybody = columnOffsets[tokens - 1]!;
  for (let user = 0; user < users; user++) columnRow[everybody + user] = user;
  const degree = sharedF64(tokens);
  await executor.run(columnDegrees, { columnOffsets, columnWeight, degree }, tokens);
  return { tokens, columnOffsets, columnRow, columnWeight, columnTarget, degree };
}

/** Closes the gaps between rows and keeps only items with a target event, in place: nothing else can be a target. */
function keepTargets(begin: Uint32Array, end: Uint32Array, item: Uint32Array, target: Float32Array) {
  const offsets = sharedU32(end.length + 1);
  let size = 0;
  for (let row = 0; row < end.length; row++) {
    const last = end[row]!;
    for (let cell = begin[row]!; cell < last; cell++) {
      if (!(target[cell]! > 0)) continue;
      item[size] = item[cell]!;
      target[size++] = target[cell]!;
    }
    offsets[row + 1] = size;
  }
  return { offsets, item: item.subarray(0, size), target: target.subarray(0, size) };
}
