import { copyInto } from '../lib/arrays.ts';

/** For each row, a set of columns: the attribute values of users or of items. */
export interface Incidence {
  readonly rows: number;
  readonly columns: number;
  readonly offsets: Uint32Array;
  readonly column: Uint32Array;
}

/** Builds an incidence row by row: 4 bytes per row and 4 per cell, twice that while it grows. */
export class IncidenceBuilder {
  #offsets = new Uint32Array(1024);
  #column = new Uint32Array(1024);
  #rows = 0;
  #size = 0;

  get rows(): number {
    return this.#rows;
  }

  push(columns: ArrayLike<number>): void {
    while (this.#size + columns.length > this.#column.length) this.#column = doubled(this.#column);
    this.#column.set(columns, this.#size);
    this.#size += columns.length;
    this.#rows++;
    if (this.#rows === this.#offsets.length) this.#offsets = doubled(this.#offsets);
    this.#offsets[this.#rows] = this.#size;
  }

  build(columns: number): Incidence {
    return {
      rows: this.#rows,
      columns,
      offsets: this.#offsets.slice(0, this.#rows + 1),
      column: this.#column.slice(0, this.#size),
    };
  }
}

const doubled = (from: Uint32Array<ArrayBuffer>) => copyInto(new Uint32Array(from.length * 2), from);

const none = new Uint32Array();

/** The columns of a row; none of a row that is missing. */
export const rowOf = ({ rows, offsets, column }: Incidence, row: number): Uint32Array =>
  row < rows ? column.subarray(offsets[row], offsets[row + 1]) : none;

/** These rows, one after another; missing ones are empty. */
export function pickRows(from: Incidence, rows: Iterable<number>): Incidence {
  const picked = new IncidenceBuilder();
  for (const row of rows) picked.push(rowOf(from, row));
  return picked.build(from.columns);
}
