import { damaged, ThriftReader, type ThriftStruct } from './thrift.ts';

/** Parquet encodes equal neighbors in almost no space, so some rows are free. */
const freeValues = 100_000;
/** Real rows take bytes, not bits: IDs differ from row to row. */
const maxValuesPerByte = 64;
const freeBytes = 64 * 1024 * 1024;
/** Of a page. Pages of equal values are encoded before they are compressed. */
const maxRatio = 1000;

/** How many values a file of this size may claim to have. */
export const maxValues = (fileBytes: number) => freeValues + maxValuesPerByte * fileBytes;

/** Checks the sizes of the lists and texts in a footer. */
export function checkFooter(bytes: Uint8Array): void {
  new ThriftReader(bytes).struct();
}

/**
 * Checks what the headers of a column's pages claim, before the reader of Parquet allocates memory for it. Returns the
 * decompressed size.
 */
export function checkPages(column: Uint8Array, fileBytes: number): number {
  const most = maxValues(fileBytes);
  let plainBytes = 0;
  for (let at = 0; at < column.length - 1; ) {
    const reader = new ThriftReader(column.subarray(at));
    const header = reader.struct();
    at += reader.at;
    const compressed = sizeIn(header, 3);
    const plain = sizeIn(header, 2);
    if (compressed > column.length - at) throw damaged('has a page that is longer than its column');
    if (plain > freeBytes + compressed * maxRatio)
      throw damaged(`has a page that claims to be ${maxRatio.toLocaleString('en')} times its size`);
    for (const field of pageFields) {
      const page = header.get(field);
      if (page instanceof Map && sizeIn(page, 1) > most) throw tooManyValues();
    }
    plainBytes += plain;
    at += compressed;
  }
  return plainBytes;
}

/** Data page, dictionary page, data page of version 2. */
const pageFields = [5, 7, 8] as const;

export const tooManyValues = () => damaged('claims more values than a file of its size can have');

function sizeIn(fields: ThriftStruct, id: number): number {
  const value = fields.get(id);
  if (typeof value !== 'number' || value < 0) throw damaged('has a page without a valid size');
  return value;
}
