import type { Queryable } from '../../kernel/postgres/pool.ts';
import { statement } from '../../kernel/postgres/statement.ts';
import type { DatasetRow } from './datasets.ts';
import { pickCountSlot } from './record-counts.ts';
import type { RecordRow } from './record-slices.ts';

const addStatement = statement(
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

export const unchanged: Changed = { changed: 0, days: '0' };

/**
 * Writes the slices of one call, one statement each, and adds the new records to the dataset's count. The count's slot
 * is locked last, when nothing is left to wait for: by the statement itself if there is only one, else by a final
 * statement.
 */
export async function writeSlices(
  db: Queryable,
  { dataset_key }: Pick<DatasetRow, 'dataset_key'>,
  slices: readonly (readonly RecordRow[])[],
  /** Adds what it changed to the count if there is a slot. */
  write: (slice: readonly RecordRow[], slot: number | null) => Promise<Changed>,
): Promise<number> {
  const slot = pickCountSlot();
  const [only] = slices;
  if (only && slices.length === 1) return (await write(only, slot)).changed;
  let added = 0;
  let days = 0n;
  for (const slice of slices) {
    const written = await write(slice, null);
    added += written.changed;
    days |= BigInt(written.days);
  }
  if (added !== 0 || days !== 0n) await db.rows(addStatement, [dataset_key, slot, added, days.toString()]);
  return added;
}
