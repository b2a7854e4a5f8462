import {
  endOfPrefix,
  listEntities,
  listEventsById,
  type StoredEntity,
  type StoredEvent,
} from '../datasets/rows/record-reads.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { ExportedDataset } from './protocol.ts';

export type StoredRecord = StoredEntity | StoredEvent;

/** One statement takes tens of milliseconds, and does not hold back vacuum for longer. */
const pageSize = { limit: 5000, bytes: 4 * 1024 * 1024 };
const before = endOfPrefix('');

/**
 * All records in ID order, in pages. Each page is one short statement, so the pages are not one snapshot; but the ID of a
 * record never changes, so none is skipped or read twice. `onRead` gets the number of records read so far.
 */
export async function* readPages(
  db: Queryable,
  dataset: ExportedDataset,
  sinceTs: number,
  onRead: (records: number) => void,
): AsyncGenerator<StoredRecord[], void> {
  let [after, read] = ['', 0];
  for (;;) {
    const { rows, last } = await readPage(db, dataset, after);
    if (last === undefined) return;
    after = last;
    read += rows.length;
    onRead(read);
    const wanted = rows.filter((row) => !('ts' in row) || row.ts >= sinceTs);
    yield wanted.map((row) =>
      row.attributes === null ? row : { ...row, attributes: exactNumbers(row.attributes) },
    );
  }
}

async function readPage(
  db: Queryable,
  dataset: ExportedDataset,
  after: string,
): Promise<{ rows: StoredRecord[]; last: string | undefined }> {
  if (dataset.kind === 'event') {
    const rows = await listEventsById(db, dataset, { after, before }, pageSize);
    return { rows, last: rows.at(-1)?.event_id };
  }
  const rows = await listEntities(db, dataset, { from: after, includesFrom: false, before }, pageSize);
  return { rows, last: rows.at(-1)?.id };
}

const longNumber = /\d{16}/;
const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Writes integers beyond the precision of a double in exponential notation: PostgreSQL writes 1e300 with 301 digits, and
 * our import takes such integers for IDs, whose digits must be kept as text.
 */
export function exactNumbers(json: string): string {
  if (!longNumber.test(json)) return json;
  return json.replaceAll(stringOrNumber, (token) => {
    if (!/^-?\d{16,}$/.test(token)) return token;
    const value = Number(token);
    return Number.isSafeInteger(value) ? token : value.toExponential();
  });
}
