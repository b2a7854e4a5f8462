/** A row by the columns of its source. */
export type Cells = readonly unknown[];

/** Why a stretch of the source is no row. */
export class Malformed {
  readonly reason: string;
  /** The beginning of what stands there. */
  readonly text: string;

  constructor(reason: string, text: string) {
    this.reason = reason;
    this.text = text.slice(0, 1000);
  }
}

/** Some rows in a piece, as they come out of the parser; a promise for each single row would cost more than parsing it. */
export interface Chunk {
  readonly rows: readonly (Cells | Malformed)[];
  /** Where each stands in the source, from 1: its line, or in Parquet its row. */
  readonly lines: readonly number[];
}

export type Format = 'csv' | 'tsv' | 'ndjson' | 'parquet';
export const formats = ['csv', 'tsv', 'ndjson', 'parquet'] as const satisfies readonly Format[];

/** Something that rows are read from, once, from the front. */
export interface Source {
  /** For people: "CSV, gzip". */
  readonly description: string;
  /** Known with the first chunk. Rows of NDJSON may add some later on. */
  readonly columns: readonly string[];
  chunks(): AsyncIterable<Chunk>;
  /** How far it is read, in the unit of `size`. */
  position(): number;
  /** Undefined where nobody knows. */
  readonly size: number | undefined;
}

/** A record may have 20 KiB; what runs on beyond this is a quote that is never closed, or no text at all. */
export const longestRow = 4 * 1024 * 1024;
