import { statfs } from 'node:fs/promises';
import { type DatasetKind, limits } from '@tastegraph/contract';
import {
  type Chunk,
  createMapping,
  createRecordMapper,
  type Kind,
  MalformedRow,
  readSample,
  type Source,
  SourceError,
} from '@tastegraph/files';
import { openSource, type ReadLimits } from '@tastegraph/files/open';
import { JobError } from '../jobs/engine/job-error.ts';
import { downloadObjects } from '../kernel/files/local-files.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { ImportFile, ImportTask } from './protocol.ts';
import { plainText } from './rejected.ts';

export interface ReadRow {
  readonly line: number;
  /** What the mapping made of the row, unchecked. */
  readonly record: unknown;
  /** As JSON, about. */
  readonly bytes: number;
}

export interface UnreadRow {
  readonly line: number;
  readonly malformed: MalformedRow;
}

interface ReadOptions extends Pick<ImportTask, 'columns' | 'eventType' | 'folder'> {
  readonly kind: DatasetKind;
  readonly readLimits: ReadLimits;
  readonly signal: AbortSignal;
  /** Called often, also while no row is complete. How much of the file has been read, from 0 to 1. */
  readonly onPosition: (fraction: number) => void;
}

/** The rows of a file as records. The file is copied first: a Parquet file is not read from its start to its end. */
export async function* readFile(
  store: ObjectStore,
  file: ImportFile,
  options: ReadOptions,
): AsyncGenerator<readonly (ReadRow | UnreadRow)[]> {
  const { folder, signal } = options;
  await checkSpace(folder, file);
  const copies = await downloadObjects(store, folder, [file], { mustExist: true, signal });
  for (const { path } of copies) yield* readRows(path, file, options);
}

/** Left free for other work: the folder may be in memory. */
const spareBytes = 256 * 1024 * 1024;

async function checkSpace(folder: string, { path, size }: ImportFile): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= size + spareBytes) return;
  throw new JobError(
    'FILE_TOO_LARGE',
    `${path} is larger than the free space in the temporary folder of the worker. Split the file, or ask the operator to give the worker a larger folder (TMPDIR).`,
  );
}

const kinds: Readonly<Record<DatasetKind, Kind>> = { user: 'users', item: 'items', event: 'events' };

async function* readRows(
  path: string,
  { path: name }: ImportFile,
  { kind, columns = {}, eventType, readLimits, onPosition }: ReadOptions,
): AsyncGenerator<readonly (ReadRow | UnreadRow)[]> {
  const opened: { source?: Source } = {};
  const onStep = () =>
    onPosition(opened.source?.size ? Math.min(1, opened.source.position() / opened.source.size) : 0);
  const source = await attempt(name, () => openSource(path, { limits: readLimits, onStep }));
  opened.source = source;
  const { sample, chunks } = await attempt(name, () => readSample(source));
  const iterator = chunks[Symbol.asyncIterator]();
  const next = async () => {
    const chunk = await attempt(name, () => iterator.next());
    checkColumns(name, source.columns);
    return chunk;
  };
  let chunk = await next();
  // An empty file, or only a header.
  if (chunk.done) return;
  if (sample.length === 0) throw unreadable(name, chunk.value);
  const map = new Map(Object.entries(columns));
  const mapping = await attempt(name, () =>
    createMapping(kinds[kind], source.columns, sample, { map, as: new Map(), skip: [], eventType }),
  );
  const toRecord = createRecordMapper(mapping, source.columns);
  for (; !chunk.done; chunk = await next()) {
    const { rows, lines } = chunk.value;
    onStep();
    yield rows.map((row, index) => {
      const line = lines[index] ?? 0;
      return row instanceof MalformedRow
        ? { line, malformed: row }
        : { line, record: toRecord(row), bytes: measure(row) };
    });
  }
}

/** The work per row grows with the columns; in NDJSON, so does their number with the rows. */
function checkColumns(name: string, columns: readonly string[]): void {
  if (columns.length > limits.recordNames)
    throw new JobError(
      'FILE_INVALID',
      `${name} has more than ${limits.recordNames} columns, so these are probably values. Write them as one attribute with a list, and submit the job again.`,
    );
}

function unreadable(name: string, { rows, lines }: Chunk): JobError {
  const [first] = rows;
  const reason = first instanceof MalformedRow ? ` ${first.reason}` : '';
  return new JobError(
    'FILE_INVALID',
    plainText(`${name}: no row can be read; line ${lines[0] ?? 1}${reason}`) +
      '. Check that the extension says what the file is, and submit the job again.',
  );
}

/** A file that cannot be read ends the job: no retry would change it. Errors of the disk are others. */
async function attempt<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error) || 'syscall' in error) throw error;
    const isLimit = error instanceof SourceError && error.code === 'LIMIT';
    const next = isLimit
      ? error.next
      : 'Correct the file, or name its columns with columns (and event_type), and submit the job again.';
    throw new JobError(
      'FILE_INVALID',
      `${plainText(`${name}: ${error.message}`).replace(/\.?$/, '.')} ${next}`,
    );
  }
}

/** A record's attributes, within its cell, within its row. */
const maxDepth = limits.attributeDepth + 2;

/** How many bytes a row takes as JSON, about; infinitely many if it is nested deeper than a record may be. */
export function measure(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > maxDepth) return Number.POSITIVE_INFINITY;
  let bytes = 2;
  if (Array.isArray(value)) for (const element of value) bytes += measure(element, depth + 1);
  else
    for (const [name, element] of Object.entries(value)) bytes += name.length + measure(element, depth + 1);
  return bytes;
}
