import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Chunk, Source } from './source.ts';

/** About as many rows as a piece of CSV has. */
const rowsPerChunk = 10_000;

/** Keeps one row group in memory at a time. Position and size are in rows. */
export async function openParquet(path: string): Promise<Source> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  let position = 0;
  async function* chunks(): AsyncGenerator<Chunk> {
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const rows = await readRows(rowStart, rowEnd);
      for (let from = 0; from < rows.length; from += rowsPerChunk) {
        const some = rows.slice(from, from + rowsPerChunk);
        position = rowStart + from + some.length;
        const first = rowStart + from + 1;
        yield {
          rows: some.map((row) => row.map(toJsonValue)),
          lines: some.map((_, offset) => first + offset),
        };
      }
      rowStart = rowEnd;
    }
  }
  function readRows(rowStart: number, rowEnd: number): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      parquetRead({ file, metadata, compressors, columns, rowStart, rowEnd, onComplete: resolve }).catch(
        reject,
      );
    });
  }
  return {
    description: `Parquet, ${Number(metadata.num_rows).toLocaleString('en')} rows`,
    columns,
    chunks,
    position: () => position,
    size: Number(metadata.num_rows),
  };
}

/** Converts 64-bit integers and byte arrays to JSON values, also in lists and structs. */
function toJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toJsonValue(part)]));
}
