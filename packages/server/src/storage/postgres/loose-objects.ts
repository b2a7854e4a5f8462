import type { Attempt } from './attempts.ts';
import type { Queryable, Statement } from './pool.ts';

const insertStatement: Statement = {
  name: 'insert_loose_objects',
  text: `INSERT INTO loose_objects (object_key, job_key, attempt) SELECT unnest($1::text[]), $2, $3
    ON CONFLICT DO NOTHING`,
};

/** Before the objects are written: whatever happens then, somebody knows of them. Without `hold`: nobody writes them any more. */
export async function insertLooseObjects(
  db: Queryable,
  objectKeys: readonly string[],
  hold: Attempt | undefined,
): Promise<void> {
  await db.rows(insertStatement, [objectKeys, hold?.job_key ?? null, hold?.attempt ?? null]);
}

const deleteStatement: Statement = {
  name: 'delete_loose_objects',
  text: 'DELETE FROM loose_objects WHERE object_key = ANY($1) RETURNING object_key',
};

/** For what something refers to from then on. Throws when one was not there: somebody removed the object meanwhile. */
export async function deleteLooseObjects(tx: Queryable, objectKeys: readonly string[]): Promise<void> {
  const found = await tx.rows(deleteStatement, [objectKeys]);
  if (found.length < objectKeys.length) throw new Error(`of ${objectKeys.join(', ')} something was removed`);
}

const claimStatement: Statement = {
  name: 'claim_loose_object',
  text: `SELECT l.object_key FROM loose_objects l
    WHERE l.object_key > $1 AND NOT EXISTS (SELECT FROM jobs j
      WHERE j.job_key = l.job_key AND j.attempt = l.attempt AND j.job_status = 'RUNNING')
    ORDER BY l.object_key LIMIT 1 FOR UPDATE OF l SKIP LOCKED`,
};

/**
 * The first after `afterKey` that nobody is writing, locked until the transaction ends. Walks the primary key; what it passes over is what is
 * being written, as much as workers have places.
 */
export async function claimLooseObject(tx: Queryable, afterKey: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ object_key: string }>(claimStatement, [afterKey]);
  return row?.object_key;
}
