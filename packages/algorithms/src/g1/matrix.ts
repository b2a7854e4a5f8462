import { countsToOffsets } from '../arrays.ts';
import { diminish, eventScale } from '../event-weight.ts';
import type { Incidence } from '../incidence.ts';
import type { Interactions } from '../interactions.ts';
import { RowSlots } from '../row-slots.ts';

export interface MatrixOptions {
  /** By event type; type 0, the target, is first. */
  readonly typeWeights: readonly number[];
  /** How much events of other types count on the left side of the regression, relative to their weight. */
  readonly outcome?: number;
  readonly userAttributes?: Incidence | undefined;
}

/**
 * R, by row and by column. Tokens are the items, then the values of user attributes, then one token that every user
 * has. Rows are the users. Rows list only items that have a target
 * event, because the support (which targets a source can predict) reads only targets from a row. 16 bytes per pair of
 * user and item (24 with a second event type).
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

export function buildMatrix(events: Interactions, options: MatrixOptions): Matrix {
  const { users, items } = events;
  const { outcome = 0 } = options;
  const scale = eventScale(events, options.typeWeights);
  const plain =
    options.typeWeights.slice(1).every((weight) => weight === 0) || !events.type.some((type) => type);
  const offsets = new Uint32Array(users + 1);
  const item = new Uint32Array(events.item.length);
  const weight = new Float32Array(events.item.length);
  const target = plain ? weight : new Float32Array(events.item.length);
  const rowDegree = new Float64Array(users);
  const slots = new RowSlots(item, items);
  let size = 0;
  for (let user = 0; user < users; user++) {
    const start = size;
    for (let event = events.offsets[user]!; event < events.offsets[user + 1]!; event++) {
      const type = events.type[event]!;
      // Rounded as it will be stored, so that weights that round to 0 are dropped.
      const strength = Math.fround(Math.max(0, events.value[event]!) * (scale[type] ?? 0));
      if (!(strength > 0)) continue;
      const column = events.item[event]!;
      const place = slots.placeOf(column, start, size);
      if (place === size) {
        size++;
        weight[place] = 0;
        target[place] = 0;
      }
      weight[place]! += strength;
      if (!plain) target[place]! += type === 0 ? strength : strength * outcome;
    }
    let degree = 0;
    for (let place = start; place < size; place++) {
      weight[place] = diminish(weight[place]!);
      if (!plain) target[place] = diminish(target[place]!);
      degree += weight[place]!;
    }
    rowDegree[user] = degree;
    offsets[user + 1] = size;
  }
  const row = { users, items, offsets, item: item.subarray(0, size), rowDegree };
  return byColumn(row, weight, target, options);
}

type Rows = Pick<Matrix, 'users' | 'items' | 'offsets' | 'item' | 'rowDegree'>;

function byColumn(row: Rows, weight: Float32Array, target: Float32Array, options: MatrixOptions): Matrix {
  const { users, items, offsets, item } = row;
  const attributes = options.userAttributes;
  const tokens = items + (attributes?.columns ?? 0) + 1;
  const columnOffsets = new Uint32Array(tokens + 1);
  for (const column of item) columnOffsets[column + 1]!++;
  const attributeCells = attributes ? attributes.offsets[Math.min(users, attributes.rows)]! : 0;
  for (let cell = 0; cell < attributeCells; cell++) columnOffsets[items + attributes!.column[cell]! + 1]!++;
  columnOffsets[tokens] = users;
  countsToOffsets(columnOffsets);

  const columnRow = new Uint32Array(columnOffsets[tokens]);
  const columnWeight = new Float32Array(columnRow.length);
  const columnTarget = target === weight ? columnWeight : new Float32Array(columnOffsets[items]!);
  const degree = new Float64Array(tokens);
  const cursor = columnOffsets.slice();
  for (let user = 0; user < users; user++)
    for (let cell = offsets[user]!; cell < offsets[user + 1]!; cell++) {
      const column = item[cell]!;
      const place = cursor[column]!++;
      columnRow[place] = user;
      columnWeight[place] = weight[cell]!;
      columnTarget[place] = target[cell]!;
      degree[column]! += weight[cell]!;
    }
  const put = (column: number, user: number) => {
    const place = cursor[column]!++;
    columnRow[place] = user;
    columnWeight[place] = 1;
    degree[column]! += 1;
  };
  for (let user = 0; user < users; user++) {
    if (attributes && user < attributes.rows)
      for (let cell = attributes.offsets[user]!; cell < attributes.offsets[user + 1]!; cell++)
        put(items + attributes.column[cell]!, user);
    put(tokens - 1, user);
  }
  const size = target === weight ? item.length : keepTargets(offsets, item, target);
  return {
    ...row,
    tokens,
    item: item.subarray(0, size),
    target: target.subarray(0, size),
    columnOffsets,
    columnRow,
    columnWeight,
    columnTarget,
    degree,
  };
}

/** Keeps only items with a target event in the rows, in place: nothing else can be a target. */
function keepTargets(offsets: Uint32Array, item: Uint32Array, target: Float32Array): number {
  let size = 0;
  let cell = 0;
  for (let row = 1; row < offsets.length; row++) {
    for (const end = offsets[row]!; cell < end; cell++) {
      if (!(target[cell]! > 0)) continue;
      item[size] = item[cell]!;
      target[size++] = target[cell]!;
    }
    offsets[row] = size;
  }
  return size;
}
