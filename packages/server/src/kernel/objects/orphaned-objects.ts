import type { Log } from '../observability/log.ts';
import type { Database, Queryable } from '../postgres/pool.ts';
import { none, statement, values } from '../postgres/statement.ts';
import type { ObjectStore } from './store.ts';

// The table keeps its old name, loose_objects: renaming it would break the previous release during a rolling upgrade.

/**
 * Call it before the objects are written, so that they are tracked whatever happens. Without an attempt, it means that
 * no job is writing them any more.
 */
export const insertOrphanedObjects = none<
  [objectKeys: readonly string[], attempt: { readonly job_key: number; readonly attempt: number } | undefined]
>(
  'insert_orphaned_objects',
  `INSERT INTO loose_objects (object_key, job_key, attempt) SELECT unnest($1::text[]), $2, $3
    ON CONFLICT DO NOTHING`,
  (objectKeys, attempt) => [objectKeys, attempt?.job_key ?? null, attempt?.attempt ?? null],
);

const deleteStatement = statement(
  'delete_orphaned_objects',
  'DELETE FROM loose_objects WHERE object_key = ANY($1) RETURNING object_key',
);

/** For objects that a row refers to from now on. Throws if one is missing: it was removed from the store meanwhile. */
export async function deleteOrphanedObjects(tx: Queryable, objectKeys: readonly string[]): Promise<void> {
  const found = await tx.rows(deleteStatement, [objectKeys]);
  if (found.length < objectKeys.length)
    throw new Error(`one of these objects was removed: ${objectKeys.join(', ')}`);
}

/**
 * Claims objects that no job is writing, exclusively for `seconds`. They stay orphaned: an attempt that is not RUNNING
 * never runs again, and publishing removes the row in the transaction that ends the attempt. Scans the primary key; the
 * rows it skips are being written or claimed: a few per job that runs, and one per project while the decision log is
 * sorted.
 */
const claimOrphanedObjects = values<[limit: number, seconds: number], string>(
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
const forgetOrphanedObject = none<[objectKey: string]>(
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

/** Objects per claim; each is then deleted individually. */
const objectsPerClaim = 20;
/**
 * A claim keeps workers from doing the same work; removing an object twice is harmless. If the removal fails or the
 * worker dies, the object is retried after this time.
 */
const claimSeconds = 10;

/**
 * Removes objects that no row refers to: leftovers of failed attempts, and files of deleted models
 * and results. No transaction is open during store operations. The row is deleted after the object: if the process dies
 * in between, the object is removed again after the claim expires, which is harmless.
 */
export function removeOrphanedObjects({
  db,
  store,
  log,
  stopping,
}: {
  readonly db: Database;
  readonly store: Pick<ObjectStore, 'delete'>;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): () => Promise<boolean> {
  // A function, since TypeScript assumes that a checked `aborted` stays false.
  const stopped = () => stopping.aborted;
  return async () => {
    const keys = await claimOrphanedObjects(db, objectsPerClaim, claimSeconds);
    for (const key of keys) {
      if (stopped()) return false;
      try {
        await store.delete(key, { signal: stopping });
        await forgetOrphanedObject(db, key);
      } catch (error) {
        // An object that cannot be removed must not block the others.
        if (!stopped()) log.warn({ err: error }, 'failed to remove an orphaned object; will retry');
      }
    }
    return keys.length === objectsPerClaim;
  };
}
