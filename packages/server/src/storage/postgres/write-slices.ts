import type { DatasetRow } from './datasets.ts';
import type { Queryable, Statement } from './pool.ts';
import { pickCountSlot } from './record-counts.ts';
import type { RecordRow } from './record-slices.ts';

const addStatement: Statement = {
  name: 'add_to_dataset_count',
  text: 'UPDATE dataset_counts SET record_count = record_count + $3 WHERE dataset_key = $1 AND slot = $2',
};

/**
 * Writes the slices of one call, one statement each, and adds the new records to the dataset's count. The count's slot
 * is locked last, when nothing is left to wait for: by the statement itself if there is only one, else by a final
 * statement.
 */
export async function writeSlices(
  db: Queryable,
  { dataset_key }: Pick<DatasetRow, 'dataset_key'>,
  slices: readonly (readonly RecordRow[])[],
  /** Returns how many records are new; adds them to the count if there is a slot. */
  write: (slice: readonly RecordRow[], slot: number | null) => Promise<number>,
): Promise<number> {
  const slot = pickCountSlot();
  const [only] = slices;
  if (only && slices.length === 1) return write(only, slot);
  let added = 0;
  for (const slice of slices) added += await write(slice, null);
  if (added !== 0) await db.rows(addStatement, [dataset_key, slot, added]);
  return added;
}
