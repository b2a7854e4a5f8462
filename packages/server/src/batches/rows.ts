import type { DatasetLocation } from '../datasets/rows/datasets.ts';
import type { Attempt } from '../jobs/rows/attempts.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { affected, many, statement } from '../kernel/postgres/statement.ts';

/** A complete part of a result, in the object store. Parts are numbered from 1, in order of user IDs. */
export interface JobPart {
  readonly part: number;
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
  readonly users: number;
  /** Empty if the part has no users. */
  readonly last_user_id: string;
}

const insertStatement = statement(
  'insert_job_part',
  `WITH current AS (
      SELECT job_key, started_at FROM jobs WHERE job_key = $1 AND attempt = $2 AND job_status = 'RUNNING' FOR NO KEY UPDATE
    ), held AS (
      DELETE FROM loose_objects USING current WHERE object_key = $4 RETURNING object_key
    ) INSERT INTO job_parts (job_key, part, object_key, size, sha256, users, last_user_id, started_at)
      SELECT job_key, $3, object_key, $5, $6, $7, $8, started_at FROM current, held RETURNING part`,
);

/** Locks the job's row, so that it cannot end meanwhile. Throws, and writes nothing, if the attempt has lost the job. */
export async function insertJobPart(
  db: Queryable,
  { job_key, attempt }: Attempt,
  { part, object_key, size, sha256, users, last_user_id }: JobPart,
): Promise<void> {
  const values = [job_key, attempt, part, object_key, size, sha256, users, last_user_id];
  const inserted = await db.rows(insertStatement, values);
  if (inserted.length === 0) throw new Error(`attempt ${attempt} has lost the job`);
}

export const listJobParts = many<[jobKey: number], JobPart>(
  'list_job_parts',
  `SELECT part, object_key, size::float8 AS size, sha256, users, last_user_id FROM job_parts
    WHERE job_key = $1 ORDER BY part`,
);

const deleteParts = affected<[jobKey: number]>(
  'delete_job_parts',
  'DELETE FROM job_parts WHERE job_key = $1 RETURNING part',
);

/** Call it in the transaction that marks the job SUCCEED: from then on, its result refers to the `expected` parts. */
export async function deleteJobParts(tx: Queryable, jobKey: number, expected: number): Promise<void> {
  const deleted = await deleteParts(tx, jobKey);
  if (deleted !== expected) throw new Error(`${deleted} of ${expected} parts were found`);
}

/**
 * Orphans parts of jobs that failed, or were canceled or deleted. Scans the primary key: besides these, there are a few hundred parts per
 * live job. Looks up jobs one by one, because a join may read all. Safe to run concurrently.
 */
export const orphanJobParts = affected<[limit: number]>(
  'orphan_job_parts',
  `WITH ended AS (
      DELETE FROM job_parts WHERE (job_key, part) IN (
        SELECT p.job_key, p.part FROM job_parts p
        WHERE coalesce((SELECT j.job_status NOT IN ('PENDING', 'RUNNING') FROM jobs j WHERE j.job_key = p.job_key), true)
        ORDER BY p.job_key, p.part LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING object_key
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) SELECT object_key FROM ended ON CONFLICT DO NOTHING
    ) SELECT object_key FROM ended`,
);

/** The next users with a record, in byte order of their IDs. Scans the primary key. */
export async function listRecordedUsers(
  db: Queryable,
  { table, key }: DatasetLocation,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.rows<{ user_id: string }>(
    {
      name: `list_recorded_users_${table}`,
      text: `SELECT user_id FROM ${table} WHERE dataset_key = $1 AND user_id > $2 ORDER BY user_id LIMIT $3`,
    },
    [key, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}
