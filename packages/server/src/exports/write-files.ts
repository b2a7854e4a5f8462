import type { Encoder } from '../kernel/files/table.ts';
import type { StoredRecord } from './read-pages.ts';

interface WriteOptions<Stored> {
  /** A file ends with the page that reaches this size. */
  readonly fileBytes: number;
  readonly createEncoder: () => Encoder<StoredRecord>;
  /** Stores one file; files are numbered from 1. */
  readonly put: (number: number, source: AsyncIterable<Uint8Array>) => Promise<Stored>;
  readonly onPage: (records: readonly StoredRecord[]) => void;
}

/** Writes the pages to as many files as they need, at least one, one after the other. Holds one page in memory. */
export async function writeFiles<Stored>(
  pages: AsyncIterator<StoredRecord[], void>,
  { fileBytes, createEncoder, put, onPage }: WriteOptions<Stored>,
): Promise<Stored[]> {
  let page = await pages.next();
  async function* writeFile(): AsyncGenerator<Uint8Array, void> {
    const encoder = createEncoder();
    for (let bytes = 0; !page.done && bytes < fileBytes; page = await pages.next()) {
      onPage(page.value);
      const chunk = encoder.encode(page.value);
      bytes += chunk.length;
      yield chunk;
    }
    yield encoder.end();
  }
  const stored: Stored[] = [];
  do stored.push(await put(stored.length + 1, writeFile()));
  while (!page.done);
  return stored;
}
