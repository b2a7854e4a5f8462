import {
  type Cells,
  type Chunk,
  CsvReader,
  guessDelimiter,
  NdjsonReader,
  readSample,
  type Source,
} from '@tastegraph/files';

export interface OpenedFile {
  readonly file: File;
  /** Of the text, as its first bytes show it. */
  readonly encoding: Encoding;
  readonly columns: readonly string[];
  readonly sample: readonly Cells[];
  readonly chunks: AsyncIterable<Chunk>;
  /** How much of the file has been read, from 0 to 1. */
  readonly progress: () => number;
}

/** Opens a CSV or NDJSON file, plain or gzip. It is read as it is sent, never as a whole. */
export async function openFile(file: File): Promise<OpenedFile> {
  if (/\.parquet$/i.test(file.name))
    throw new Error(
      `${file.name} is a Parquet file. Import it with the command line: tastegraph import reads Parquet too.`,
    );
  const encoding = await encodingOf(file);
  const head = await headOf(file, encoding);
  const isNdjson = head.trimStart().startsWith('{');
  if (!isNdjson && /\.(?:ndjson|jsonl|json)(?:\.gz)?$/i.test(file.name))
    throw new Error(`${file.name} has no JSON object in its first line. NDJSON has one object per line.`);
  const reader = isNdjson
    ? new NdjsonReader()
    : new CsvReader({ delimiter: guessDelimiter(head), columns: undefined });
  let read = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      read += bytes.byteLength;
      controller.enqueue(bytes);
    },
  });
  const source: Source = {
    description: isNdjson ? 'NDJSON' : 'CSV',
    get columns() {
      return reader.columns;
    },
    chunks: () => reader.chunks(explained(texts(file, encoding, count), file.name)),
    position: () => read,
    size: file.size,
  };
  const { sample, chunks } = await readSample(source);
  if (reader.columns.length === 0)
    throw new Error(`${file.name} is empty. Choose a CSV file with a header line, or an NDJSON file.`);
  return {
    file,
    encoding,
    columns: reader.columns,
    sample,
    chunks,
    progress: () => (file.size === 0 ? 1 : read / file.size),
  };
}

/** Enough for a header. */
const headBytes = 64 * 1024;

/** Errors of streams say nothing of the file. */
async function* explained(pieces: AsyncGenerator<string>, name: string): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(
      `${name} is damaged, or its first rows are UTF-8 and others are not. Save it again as UTF-8.`,
    );
  }
}

/** What spreadsheets and shops in Western Europe write, apart from UTF-8. */
type Encoding = 'utf-8' | 'windows-1252';

/** Few texts of another encoding are valid UTF-8. */
async function encodingOf(file: File): Promise<Encoding> {
  try {
    await headOf(file, 'utf-8');
    return 'utf-8';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return 'windows-1252';
  }
}

async function headOf(file: File, encoding: Encoding): Promise<string> {
  for await (const text of texts(file.slice(0, headBytes), encoding, new TransformStream(), file.name))
    return text;
  return '';
}

async function* texts(
  file: Blob & { readonly name?: string },
  encoding: Encoding,
  count: TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>,
  name = file.name ?? '',
): AsyncGenerator<string> {
  const bytes = file.stream().pipeThrough(count);
  const plain = name.endsWith('.gz') ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes;
  // A character that cannot be read would be replaced without a word.
  const reader = plain.pipeThrough(new TextDecoderStream(encoding, { fatal: true })).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // The rest of a file that is given up, or of which only the head was wanted.
    await reader.cancel().catch(() => undefined);
  }
}
