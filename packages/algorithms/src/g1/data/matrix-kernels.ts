import { diminish } from '../../data/event-weight.ts';
import type { Interactions } from '../../data/interactions.ts';
import { RowSlots } from '../../data/row-slots.ts';
import type { Kernel } from '../../kernels/parallel.ts';
import { type CountingSort, overParts } from './counting-sort.ts';

/** The row of each user is where the user's events are, which are at least as many. */
interface RowsInput {
  readonly events: Pick<Interactions, 'items' | 'offsets' | 'item' | 'type' | 'value'>;
  /** By event type, the weight of an event of value 1. */
  readonly scale: readonly number[];
  readonly outcome: number;
  /** By user, where the row ends. */
  readonly end: Uint32Array;
  readonly item: Uint32Array;
  readonly weight: Float32Array;
  /** Absent if it is the same as `weight`. */
  readonly target: Float32Array | undefined;
  readonly rowDegree: Float64Array;
}

/** Fills the rows of the users from `from` to `to`. */
function prepareRows(input: RowsInput): (from: number, to: number) => void {
  const { events, scale, outcome, end, item, weight, target, rowDegree } = input;
  const slots = new RowSlots(item, events.items);
  return (from, to) => {
    for (let user = from; user < to; user++) {
      const start = events.offsets[user]!;
      const last = events.offsets[user + 1]!;
      let size = start;
      for (let event = start; event < last; event++) {
        const type = events.type[event]!;
        // Rounded as it will be stored, so that weights that round to 0 are dropped.
        const strength = Math.fround(Math.max(0, events.value[event]!) * (scale[type] ?? 0));
        if (!(strength > 0)) continue;
        const place = slots.placeOf(events.item[event]!, start, size);
        if (place === size) size++;
        weight[place]! += strength;
        if (target) target[place]! += type === 0 ? strength : strength * outcome;
      }
      let degree = 0;
      for (let place = start; place < size; place++) {
        weight[place] = diminish(weight[place]!);
        if (target) target[place] = diminish(target[place]!);
        degree += weight[place]!;
      }
      rowDegree[user] = degree;
      end[user] = size;
    }
  };
}

export const matrixRows: Kernel<RowsInput> = { name: 'matrix rows', prepare: prepareRows };

interface ColumnsInput extends CountingSort {
  readonly weight: Float32Array;
  readonly target: Float32Array | undefined;
  readonly columnRow: Uint32Array;
  readonly columnWeight: Float32Array;
  readonly columnTarget: Float32Array;
}

/** Puts the cells of a part of the rows into their columns. */
function prepareColumns(input: ColumnsInput): (from: number, to: number) => void {
  const { begin, end, column, weight, target, columnRow, columnWeight, columnTarget } = input;
  return overParts(input, (row, cursor) => {
    const last = end[row]!;
    for (let cell = begin[row]!; cell < last; cell++) {
      const place = cursor[column[cell]!]!++;
      columnRow[place] = row;
      columnWeight[place] = weight[cell]!;
      if (target) columnTarget[place] = target[cell]!;
    }
  });
}

export const matrixColumns: Kernel<ColumnsInput> = { name: 'matrix columns', prepare: prepareColumns };

interface DegreesInput {
  readonly columnOffsets: Uint32Array;
  readonly columnWeight: Float32Array;
  readonly degree: Float64Array;
}

/** Sums the weights of the tokens from `from` to `to`. */
function prepareDegrees({ columnOffsets, columnWeight, degree }: DegreesInput) {
  return (from: number, to: number) => {
    for (let token = from; token < to; token++) {
      const last = columnOffsets[token + 1]!;
      let sum = 0;
      for (let cell = columnOffsets[token]!; cell < last; cell++) sum += columnWeight[cell]!;
      degree[token] = sum;
    }
  };
}

export const columnDegrees: Kernel<DegreesInput> = { name: 'column degrees', prepare: prepareDegrees };
