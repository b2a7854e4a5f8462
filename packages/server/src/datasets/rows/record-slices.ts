import { slices as processSlices, type Slice } from '../../kernel/lib/slices.ts';

/** A record as one row of a statement's JSON array. */
export interface RecordRow {
  readonly id: string;
  readonly json: string;
}

/**
 * The most JSON per statement. The driver writes a statement's parameters in one go: a megabyte takes it 1 or 2 ms, and
 * an ordinary batch is a tenth of that.
 */
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
  return `[${slice.map(({ json }) => json).join(',')}]`;
}
