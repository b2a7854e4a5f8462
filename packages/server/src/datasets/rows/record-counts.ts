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
