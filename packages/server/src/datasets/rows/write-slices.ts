import { slices as processSlices, type Slice } from '../../kernel/lib/slices.ts';
import type { Queryable, Statement } from '../../kernel/postgres/pool.ts';
import { none } from '../../kernel/postgres/statement.ts';

/**
 * A dataset's record_count is split into slots, so that concurrent writers do not queue for one row until each commit
 * is on disk. Each slot adds a row to the sum; one API process does not reach 16 concurrent writers of one dataset.
 */
export const countSlots = 16;

let nextSlot = 0;

/** The slot that a transaction adds its records to. Round-robin, so that concurrent ones rarely collide. */
export function pickCountSlot(): number {
  nextSlot = (nextSlot + 1) % countSlots;
  return nextSlot;
}

/**
 * The end of a statement that wrote records: adds the `change` expression to the dataset's slot and returns it as
 * `changed`. $1 is the dataset's key and $2 the slot, or null if the count is added later. The slot is locked last,
 * when nothing is left to wait for. `days` are the changed days of events, see `changedDays`.
 */
export function addToCount(change: string, extraColumns: readonly string[] = [], days = '0'): string {
  return `change AS MATERIALIZED (SELECT (${change})::int AS changed, (${days})::bigint AS days), slot AS (
      UPDATE dataset_counts SET record_count = record_count + change.changed, changed_days = changed_days | change.days
      FROM change WHERE dataset_key = $1 AND slot = $2 AND (change.changed <> 0 OR change.days & ~changed_days <> 0)
    )
    SELECT ${['changed', 'days', ...extraColumns].join(', ')} FROM change`;
}

/** SQL: a bit for each UTC day of the times, by its number modulo 64: more days than the decision log is kept. */
export const changedDays = (times: string) =>
  `SELECT coalesce(bit_or(1::bigint << ((ts / 86400000) % 64)::int), 0) FROM (${times}) AS touched (ts)`;

/** A record as one row of a statement's JSON array. */
export interface RecordRow {
  readonly id: string;
  /** In UTF-8 if it comes from a thread. */
  readonly json: string | Buffer;
}

/** The driver writes parameters in one go: a megabyte takes it 1 or 2 ms. An ordinary batch has a tenth of that. */
const sliceBytes = 1024 * 1024;

/**
 * Splits records into statements of at most a megabyte, or one record. If there are several, IDs ascend across all of
 * them, so that overlapping calls never deadlock. Yields to the event loop between time slices.
 */
export async function cutIntoSlices(
  all: readonly RecordRow[],
  slice: Slice = processSlices.start(''),
): Promise<RecordRow[][]> {
  const rows: (RecordRow & { readonly bytes: number })[] = [];
  let total = 0;
  for (const row of all) {
    const bytes = Buffer.byteLength(row.json);
    total += bytes;
    rows.push({ ...row, bytes });
    if (slice.isOver()) await slice.next();
  }
  if (total <= sliceBytes) return [rows];
  const slices: RecordRow[][] = [];
  let remaining = 0;
  for (const row of sortedByBytes(rows)) {
    if (row.bytes > remaining || slices.length === 0) {
      slices.push([]);
      remaining = sliceBytes;
    }
    slices.at(-1)?.push(row);
    remaining -= row.bytes;
  }
  return slices;
}

/** In the order of COLLATE "C", which differs from JavaScript's string order for characters beyond U+FFFF. */
function sortedByBytes<Row extends RecordRow>(rows: readonly Row[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: Buffer.from(row.id) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ row }) => row);
}

export function jsonArrayOf(slice: readonly RecordRow[]): string {
  return `[${slice.map(({ json }) => json.toString()).join(',')}]`;
}

const addToSlot = none<[datasetKey: number, slot: number, added: number, days: string]>(
  'add_to_dataset_count',
  `UPDATE dataset_counts SET record_count = record_count + $3, changed_days = changed_days | $4::bigint
    WHERE dataset_key = $1 AND slot = $2`,
);

/** What a statement changed: how many records are new, and the bits of the days of its events. */
export interface Changed {
  readonly changed: number;
  /** A 64-bit integer. */
  readonly days: string;
}

/**
 * Writes the records of one call in slices, one statement each, and adds the new records to the dataset's count. The count's slot
 * is locked last, when nothing is left to wait for: by the statement itself if there is only one, else by a final
 * statement.
 */
export async function writeSlices(
  db: Queryable,
  { dataset_key }: { readonly dataset_key: number },
  records: readonly RecordRow[],
  slice: Slice | undefined,
  /** Adds what it changed to the count if there is a slot. */
  write: (slice: readonly RecordRow[], slot: number | null) => Promise<Changed>,
): Promise<number> {
  const slices = await cutIntoSlices(records, slice);
  const slot = pickCountSlot();
  const [only] = slices;
  if (only && slices.length === 1) return (await write(only, slot)).changed;
  let added = 0;
  let days = 0n;
  for (const rows of slices) {
    const written = await write(rows, null);
    added += written.changed;
    days |= BigInt(written.days);
  }
  if (added !== 0 || days !== 0n) await addToSlot(db, dataset_key, slot, added, days.toString());
  return added;
}

/** As writeSlices, with a statement whose $1 is the dataset, $2 the slot, and $3 the records as JSON. It ends with `addToCount`. */
export const writeRows = (
  db: Queryable,
  { dataset_key }: { readonly dataset_key: number },
  records: readonly RecordRow[],
  slice: Slice | undefined,
  statement: Statement,
): Promise<number> =>
  writeSlices(db, { dataset_key }, records, slice, async (rows, slot) => {
    const [row] = await db.rows<Changed>(statement, [dataset_key, slot, jsonArrayOf(rows)]);
    return row ?? { changed: 0, days: '0' };
  });
