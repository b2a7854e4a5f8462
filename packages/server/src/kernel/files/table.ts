export type Cell = string | number | null;

/** A column of a CSV or Parquet file. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'number' | 'integer' | 'time';
  readonly isRequired: boolean;
}

/** Records as rows of cells. A record may have any number of rows. */
export interface Table<Record> {
  readonly columns: readonly Column[];
  readonly rowsOf: (record: Record) => readonly (readonly Cell[])[];
}

/** Encodes the records of one file. */
export interface Encoder<Record> {
  encode(records: readonly Record[]): Uint8Array;
  end(): Uint8Array;
}

/** The formats of files with records. */
export const fileTypes = {
  NDJSON: { extension: 'ndjson', contentType: 'application/x-ndjson' },
  CSV: { extension: 'csv', contentType: 'text/csv' },
  PARQUET: { extension: 'parquet', contentType: 'application/vnd.apache.parquet' },
} as const;

/** An attribute's value in a column of text. */
export function textOf(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((part) => textOf(part) ?? '').join('|');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One line per record. */
export function createLineEncoder<Record>(toJson: (record: Record) => string): Encoder<Record> {
  return {
    encode: (records) => Buffer.from(records.map((record) => `${toJson(record)}\n`).join('')),
    end: () => Buffer.alloc(0),
  };
}
