import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { createGunzip } from 'node:zlib';
import { SourceError } from '../source-error.ts';
import { CsvReader, guessDelimiter } from './csv.ts';
import { NdjsonReader } from './ndjson.ts';
import { openParquet } from './parquet.ts';
import type { Format, ReadOptions, Source } from './source.ts';
import { decode } from './text.ts';

export { ReadLimits } from './limits.ts';

export interface SourceOptions extends ReadOptions {
  readonly format?: Format | undefined;
  readonly delimiter?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly encoding?: string | undefined;
}

/** Small enough that parsing a piece takes only milliseconds. */
const pieceBytes = 256 * 1024;

export const stdinName = '-';

/** Detects the format by the first bytes and the name of the file. */
export async function openSource(path: string, options: SourceOptions): Promise<Source> {
  const size = path === stdinName ? undefined : await sizeOf(path);
  if (path !== stdinName && (options.format === 'parquet' || (await startsWith(path, 'PAR1'))))
    return openParquet(path, options);
  let position = 0;
  async function* raw(): AsyncGenerator<Buffer> {
    const input = path === stdinName ? process.stdin : createReadStream(path, { highWaterMark: pieceBytes });
    for await (const piece of input as AsyncIterable<Buffer>) {
      position += piece.length;
      yield piece;
    }
  }
  const onPlain = (total: number) => options.limits?.checkRatio(total, position);
  const { head, bytes, isGzip } = await peek(raw(), onPlain);
  if (head.startsWith('PAR1'))
    throw new SourceError(
      'Parquet cannot be read from stdin, because its index is at the end of the file.',
      'Save it to a file and import the file.',
    );
  const format = options.format ?? guessFormat(path, head);
  const delimiter = options.delimiter ?? (format === 'tsv' ? '\t' : guessDelimiter(head));
  const reader =
    format === 'ndjson' ? new NdjsonReader() : new CsvReader({ delimiter, columns: options.columns });
  return {
    description: describe(format, delimiter, isGzip),
    get columns() {
      return reader.columns;
    },
    chunks: () => reader.chunks(decode(watch(bytes, options), options.encoding ?? 'utf-8')),
    position: () => position,
    size,
  };
}

/** Only a regular file can be read more than once, to detect its format and to count its rows. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isFile())
    throw new SourceError(
      `${path} is not a regular file.`,
      'To read from a pipe, pass - as the file: `COMMAND | tastegraph import … -`.',
    );
  return found.size;
}

/** An upper bound on the number of rows: the lines of the file. Exact for Parquet. */
export async function countRows(path: string, source: Source): Promise<number> {
  if (source.description.startsWith('Parquet')) return source.size ?? 0;
  const { bytes } = await peek(createReadStream(path, { highWaterMark: pieceBytes }));
  let lines = 0;
  for await (const piece of bytes)
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1;
  return lines;
}

async function* watch(
  pieces: AsyncIterable<Buffer>,
  { limits, onStep }: ReadOptions,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    limits?.add(piece.length);
    onStep?.();
    yield piece;
  }
}

/** The decompressed bytes, and the text at their start. */
async function peek(raw: AsyncIterable<Buffer>, onPlain?: (total: number) => void) {
  const compressed = await peekFirst(raw);
  const isGzip = compressed.first.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]));
  if (!isGzip) return { head: headOf(compressed.first), bytes: compressed.all(), isGzip };
  const plain = await peekFirst(gunzip(compressed.all(), onPlain));
  return { head: headOf(plain.first), bytes: plain.all(), isGzip };
}

const headOf = (piece: Buffer) => piece.subarray(0, 64 * 1024).toString('latin1');

async function peekFirst(pieces: AsyncIterable<Buffer>) {
  const iterator = pieces[Symbol.asyncIterator]();
  const { value: first = Buffer.alloc(0) } = (await iterator.next()) as { value?: Buffer };
  return {
    first,
    async *all(): AsyncGenerator<Buffer> {
      yield first;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    },
  };
}

async function* gunzip(
  pieces: AsyncIterable<Buffer>,
  onPlain?: (total: number) => void,
): AsyncGenerator<Buffer> {
  const { Readable } = await import('node:stream');
  const input = Readable.from(pieces, { objectMode: false });
  const plain = input.pipe(createGunzip({ chunkSize: pieceBytes }));
  input.on('error', (error) => plain.destroy(error));
  let total = 0;
  try {
    for await (const piece of plain as AsyncIterable<Buffer>) {
      total += piece.length;
      onPlain?.(total);
      yield piece;
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    throw new SourceError(
      `The gzip file is damaged or truncated: ${(error as Error).message}.`,
      'Create the file again (`gzip -t FILE` checks it) and import it.',
      'SOURCE_DAMAGED',
    );
  }
}

function guessFormat(path: string, head: string): Format {
  const name = path.endsWith('.gz') ? path.slice(0, -3) : path;
  const byName = { '.csv': 'csv', '.tsv': 'tsv', '.ndjson': 'ndjson', '.jsonl': 'ndjson' } as const;
  const extension = extname(name).toLowerCase();
  if (extension in byName) return byName[extension as keyof typeof byName];
  const text = head.replace('\u00ef\u00bb\u00bf', '').trimStart();
  if (text.startsWith('['))
    throw new SourceError(
      'The source is a JSON array.',
      'Convert it to NDJSON, one object per line: `jq -c .[] FILE`.',
    );
  return text.startsWith('{') ? 'ndjson' : 'csv';
}

function describe(format: Format, delimiter: string, isGzip: boolean): string {
  const what = format === 'ndjson' ? 'NDJSON' : `${format.toUpperCase()} with ${JSON.stringify(delimiter)}`;
  return isGzip ? `${what}, gzip` : what;
}

async function startsWith(path: string, magic: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === magic;
  } finally {
    await file.close();
  }
}
