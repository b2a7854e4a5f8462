import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type ColumnChunk,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { checkFooter, checkPages, maxValues, tooManyValues } from './check-parquet.ts';
import type { Chunk, ReadOptions, Source } from './source.ts';
import { damaged } from './thrift.ts';

/** About as many rows as a piece of CSV has. */
const rowsPerChunk = 10_000;

/** Of the length of the footer and the magic bytes. */
const tailBytes = 8;

/** Keeps one row group in memory at a time. Position and size are in rows. */
export async function openParquet(path: string, { limits, onStep }: ReadOptions = {}): Promise<Source> {
  const file = await asyncBufferFromFile(path);
  await readFooter(file);
  const metadata = await parquetMetadataAsync(file);
  const rows = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
  if (rows.some((count) => count < 0) || sum(rows) > maxValues(file.byteLength)) throw tooManyValues();
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  let position = 0;
  async function* chunks(): AsyncGenerator<Chunk> {
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      for (const column of group.columns) await checkColumn(column);
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
  async function checkColumn({ meta_data }: ColumnChunk): Promise<void> {
    if (!meta_data) return;
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = meta_data;
    const start = Number(dictionary_page_offset || data_page_offset);
    const end = start + Number(total_compressed_size);
    if (!(start >= 0 && start <= end && end <= file.byteLength))
      throw damaged('has a column that is not within it');
    const plain = checkPages(new Uint8Array(await file.slice(start, end)), file.byteLength);
    limits?.add(plain);
    onStep?.();
  }
  function readRows(rowStart: number, rowEnd: number): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      const range = { rowStart, rowEnd, onComplete: resolve, onPage: () => onStep?.() };
      parquetRead({ file, metadata, compressors, columns, ...range }).catch(reject);
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

async function readFooter(file: AsyncBuffer): Promise<void> {
  const { byteLength } = file;
  if (byteLength < tailBytes) throw damaged('ends too early');
  const tail = new DataView(await file.slice(byteLength - tailBytes, byteLength));
  const length = tail.getUint32(0, true);
  if (length > byteLength - tailBytes) throw damaged('has a footer that is longer than it');
  checkFooter(new Uint8Array(await file.slice(byteLength - tailBytes - length, byteLength - tailBytes)));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

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
