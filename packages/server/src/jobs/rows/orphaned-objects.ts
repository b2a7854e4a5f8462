import { none, values } from '../../kernel/postgres/statement.ts';

/**
 * Claims objects that no job is writing, exclusively for `seconds`. They stay orphaned: an attempt that is not RUNNING
 * never runs again, and publishing removes the row in the transaction that ends the attempt. Scans the primary key; the
 * rows it skips are being written or claimed: a few per job that runs, and one per project while the decision log is
 * sorted.
 */
export const claimOrphanedObjects = values<[limit: number, seconds: number], string>(
  'claim_orphaned_objects',
  `UPDATE loose_objects SET claimed_until = clock_timestamp() + $2 * interval '1 second'
    WHERE object_key IN (SELECT l.object_key FROM loose_objects l
      WHERE (l.claimed_until IS NULL OR l.claimed_until < clock_timestamp())
        AND NOT EXISTS (SELECT FROM jobs j
          WHERE j.job_key = l.job_key AND j.attempt = l.attempt AND j.job_status = 'RUNNING')
      ORDER BY l.object_key LIMIT $1 FOR UPDATE OF l SKIP LOCKED)
    RETURNING object_key`,
);

/** Call it after the object was removed. Another worker may have been faster. */
export const forgetOrphanedObject = none<[objectKey: string]>(
  'forget_orphaned_object',
  'DELETE FROM loose_objects WHERE object_key = $1',
);

/**
 * Marks as orphaned those of the listed objects that no row refers to. The objects must have been listed before the
 * call: a key is in loose_objects before its object is written, and moves to the model or result in one transaction, so
 * that some row always has it. Each key is looked up by index.
 */
export const insertUnreferencedObjects = values<[objectKeys: readonly string[]], string>(
  'insert_unreferenced_objects',
  `INSERT INTO loose_objects (object_key) SELECT k FROM unnest($1::text[]) AS k
    WHERE NOT EXISTS (SELECT FROM loose_objects l WHERE l.object_key = k)
      AND NOT EXISTS (SELECT FROM models m WHERE m.object_key = k)
      AND NOT EXISTS (SELECT FROM models m WHERE m.snapshot_key = k)
      AND NOT EXISTS (SELECT FROM decision_files f WHERE f.object_key = k)
      AND NOT EXISTS (SELECT FROM attribution_files f WHERE f.object_key = k)
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.job_id = split_part(k, '/', 2) AND (j.job_status IN ('PENDING', 'RUNNING')
        OR j.job_result->'files' @> jsonb_build_array(jsonb_build_object('object_key', k))))
    ON CONFLICT DO NOTHING RETURNING object_key`,
);
