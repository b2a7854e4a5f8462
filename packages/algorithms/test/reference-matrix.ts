import { diminish, eventScale } from '../src/data/event-weight.ts';
import type { Matrix, MatrixOptions } from '../src/g1/data/matrix.ts';
import type { Sources } from '../src/g1/fit/sources.ts';
import type { Support } from '../src/g1/fit/support.ts';
import type { Interactions } from '../src/index.ts';

interface Cell {
  readonly column: number;
  readonly row: number;
  weight: number;
  target: number;
}

/** The matrix in plain TypeScript: cell by cell in the order of users, then column by column. */
export function matrixReference(events: Interactions, options: MatrixOptions): Matrix {
  const { users, items } = events;
  const { typeWeights, outcome = 0, userAttributes } = options;
  const scale = eventScale(events, typeWeights);
  const rows = Array.from({ length: users }, (_, user) => rowOf(events, user, scale, outcome));
  const tokens = items + (userAttributes?.columns ?? 0) + 1;
  const columns: Cell[][] = Array.from({ length: tokens }, () => []);
  for (const cell of rows.flat()) columns[cell.column]!.push(cell);
  for (let row = 0; row < users; row++) {
    const put = (column: number) => columns[column]!.push({ column, row, weight: 1, target: 0 });
    if (userAttributes && row < userAttributes.rows) {
      const [begin, end] = [userAttributes.offsets[row]!, userAttributes.offsets[row + 1]!];
      for (const value of userAttributes.column.subarray(begin, end)) put(items + value);
    }
    put(tokens - 1);
  }
  const targetRows = rows.map((cells) => cells.filter(({ target }) => target > 0));
  const isPlain =
    typeWeights.slice(1).every((weight) => weight === 0) || events.type.every((type) => type === 0);
  const columnWeight = Float32Array.from(columns.flat(), ({ weight }) => weight);
  const sumOf = (cells: readonly Cell[]) => cells.reduce((sum, { weight }) => sum + weight, 0);
  return {
    users,
    items,
    tokens,
    offsets: offsetsOf(targetRows),
    item: Uint32Array.from(targetRows.flat(), ({ column }) => column),
    target: Float32Array.from(targetRows.flat(), ({ target }) => target),
    columnOffsets: offsetsOf(columns),
    columnRow: Uint32Array.from(columns.flat(), ({ row }) => row),
    columnWeight,
    columnTarget: isPlain
      ? columnWeight
      : Float32Array.from(columns.slice(0, items).flat(), ({ target }) => target),
    rowDegree: Float64Array.from(rows, sumOf),
    degree: Float64Array.from(columns, sumOf),
  };
}

function rowOf(events: Interactions, row: number, scale: readonly number[], outcome: number): Cell[] {
  const cells = new Map<number, Cell>();
  for (let event = events.offsets[row]!; event < events.offsets[row + 1]!; event++) {
    const type = events.type[event]!;
    const strength = Math.fround(Math.max(0, events.value[event]!) * (scale[type] ?? 0));
    if (!(strength > 0)) continue;
    const column = events.item[event]!;
    const cell = cells.get(column) ?? { column, row, weight: 0, target: 0 };
    cells.set(column, cell);
    cell.weight = Math.fround(cell.weight + strength);
    cell.target = Math.fround(cell.target + (type === 0 ? strength : strength * outcome));
  }
  for (const cell of cells.values()) {
    cell.weight = Math.fround(diminish(cell.weight));
    cell.target = Math.fround(diminish(cell.target));
  }
  return [...cells.values()];
}

/** The sources of each target in plain TypeScript. */
export function sourcesReference(support: Support, items: number, order: Uint32Array): Sources {
  const { k, offsets: places, target } = support;
  const pairs: number[][] = Array.from({ length: items }, () => []);
  for (const source of order)
    for (const [n, to] of target.subarray(places[source], places[source + 1]).entries())
      pairs[to]!.push(source * k + n);
  return { offsets: offsetsOf(pairs), pair: Uint32Array.from(pairs.flat()), k, places };
}

function offsetsOf(lists: readonly (readonly unknown[])[]): Uint32Array {
  const offsets = new Uint32Array(lists.length + 1);
  for (const [place, list] of lists.entries()) offsets[place + 1] = offsets[place]! + list.length;
  return offsets;
}
