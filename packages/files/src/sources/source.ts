import type { ReadLimits } from './limits.ts';

/** The cells of a row, by column index. */
export type Cells = readonly unknown[];

/** A part of the source that is not a valid row. */
export class MalformedRow {
  readonly reason: string;
  /** The start of the text. */
  readonly text: string;

  constructor(reason: string, text: string) {
    this.reason = reason;
    this.text = text.slice(0, 1000);
  }
}

/** A batch of rows from the parser: one promise per row would cost more than parsing the row. */
export interface Chunk {
  readonly rows: readonly (Cells | MalformedRow)[];
  /** The line of each row in the source, from 1; in Parquet, its row. */
  readonly lines: readonly number[];
}

export type Format = 'csv' | 'tsv' | 'ndjson' | 'parquet';
export const formats = ['csv', 'tsv', 'ndjson', 'parquet'] as const satisfies readonly Format[];

/** A source of rows, which can be read once. */
export interface Source {
  /** For messages, for example "CSV, gzip". */
  readonly description: string;
  /** Known after the first chunk. NDJSON may add columns later. */
  readonly columns: readonly string[];
  chunks(): AsyncIterable<Chunk>;
  /** How much has been read, in the unit of `size`. */
  position(): number;
  /** Undefined if unknown. */
  readonly size: number | undefined;
}

/** A record may have 20 KiB; a row longer than this has an unclosed quote, or the file is not text. */
export const maxRowLength = 4 * 1024 * 1024;

/** For files of strangers. */
export interface ReadOptions {
  readonly limits?: ReadLimits | undefined;
  /** Called for each piece of text or page of a column, before its rows are complete. */
  readonly onStep?: (() => void) | undefined;
}
