import type { Queryable } from '../postgres/pool.ts';
import { affected, none } from '../postgres/statement.ts';

// The table keeps its old name, loose_objects: renaming it would break the previous release during a rolling upgrade.

/** Call it before the objects are written, so that none is lost. Without an attempt, no job is writing them any more. */
export const insertOrphanedObjects = none<
  [objectKeys: readonly string[], attempt: { readonly job_key: number; readonly attempt: number } | undefined]
>(
  'insert_orphaned_objects',
  `INSERT INTO loose_objects (object_key, job_key, attempt) SELECT unnest($1::text[]), $2, $3
    ON CONFLICT DO NOTHING`,
  (objectKeys, attempt) => [objectKeys, attempt?.job_key ?? null, attempt?.attempt ?? null],
);

const deleteObjects = affected<[objectKeys: readonly string[]]>(
  'delete_orphaned_objects',
  'DELETE FROM loose_objects WHERE object_key = ANY($1) RETURNING object_key',
);

/** For objects that a row refers to from now on. Throws if one is missing: it was removed from the store meanwhile. */
export async function deleteOrphanedObjects(tx: Queryable, objectKeys: readonly string[]): Promise<void> {
  const found = await deleteObjects(tx, objectKeys);
  if (found < objectKeys.length)
    throw new Error(`one of these objects was removed: ${objectKeys.join(', ')}`);
}
