import { createCsvEncoder } from './csv.ts';
import { createParquetEncoder } from './parquet.ts';
import type { Table } from './table.ts';

const encoders = { CSV: createCsvEncoder, PARQUET: createParquetEncoder } as const;

/** Large enough that a million records do not become a million buffers. */
const recordsPerChunk = 1000;

/** A file with all records, in chunks: they need not fit into memory. */
export async function* writeTable<Record>(
  format: keyof typeof encoders,
  table: Table<Record>,
  records: Iterable<Record> | AsyncIterable<Record>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = encoders[format](table);
  let chunk: Record[] = [];
  for await (const record of records) {
    chunk.push(record);
    if (chunk.length < recordsPerChunk) continue;
    yield encoder.encode(chunk);
    chunk = [];
  }
  yield encoder.encode(chunk);
  yield encoder.end();
}
