/**
 * A dataset's record_count is kept in slots, so that writers of one dataset do not queue for one row until the
 * other's commit is on disk. A slot more costs a row in the sum; 16 writers of one dataset at once is past what
 * one api process does.
 */
export const countSlots = 16;

let nextSlot = 0;

/** The slot a transaction adds its records to; taken in turn, so that neighbours seldom meet. */
export function pickCountSlot(): number {
  nextSlot = (nextSlot + 1) % countSlots;
  return nextSlot;
}

/**
 * The end of a statement that wrote records: adds what `change` counts to the dataset's slot, and answers it as
 * `changed`. $1 is the dataset's key and $2 the slot. The slot is locked last, when nothing is left to wait for.
 */
export function addToCount(change: string, answerToo: readonly string[] = []): string {
  return `change AS MATERIALIZED (SELECT (${change})::int AS changed), slot AS (
      UPDATE dataset_counts SET record_count = record_count + change.changed FROM change
      WHERE dataset_key = $1 AND slot = $2 AND change.changed <> 0
    )
    SELECT ${['changed', ...answerToo].join(', ')} FROM change`;
}
