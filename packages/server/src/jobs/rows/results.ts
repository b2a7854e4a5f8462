import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { values } from '../../kernel/postgres/statement.ts';

/** Oldest first, for at most `limit` jobs. The files become orphaned. Uses jobs_with_files. Safe to run concurrently. */
export const expireResults = values<[days: number, limit: number], string>(
  'expire_results',
  `WITH old AS (
      SELECT job_key, job_result FROM jobs
        WHERE job_status = 'SUCCEED' AND (job_result -> 'files' -> 0) IS NOT NULL
          AND finished_at < now() - $1 * interval '1 day'
        ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), orphaned AS (
      INSERT INTO loose_objects (object_key)
        SELECT file->>'object_key' FROM old, jsonb_array_elements(job_result->'files') AS file
    )
    UPDATE jobs j SET job_result = j.job_result
        || jsonb_build_object('files', '[]'::jsonb, 'expired_ts', ${epochMs('clock_timestamp()')})
      WHERE j.job_key = ANY (ARRAY(SELECT job_key FROM old)) RETURNING j.job_id`,
);

/** The API keys of the job's account that are not revoked, and its people. By job_id, api_keys_by_account and people_account_email_key. */
export const listResultHolders = values<[jobId: string, objectKey: string], string>(
  'list_holders_of_result',
  `WITH account AS (SELECT account_id FROM jobs WHERE job_id = $1
      AND job_result->'files' @> jsonb_build_array(jsonb_build_object('object_key', $2::text)))
    SELECT api_key AS holder FROM account JOIN api_keys USING (account_id) WHERE revoked_at IS NULL
    UNION ALL SELECT person_id FROM account JOIN people USING (account_id)`,
);

/** Removes a result before its time. Returns the keys of the result's files, which are now orphaned. The job remains, and its result reads as expired. */
export const dropResult = values<[accountId: string, jobKey: number], string>(
  'drop_result',
  `WITH held AS (
      SELECT job_key, job_result FROM jobs
        WHERE job_key = $2 AND account_id = $1 AND (job_result -> 'files' -> 0) IS NOT NULL FOR UPDATE
    ), dropped AS (
      UPDATE jobs j SET job_result = j.job_result
          || jsonb_build_object('files', '[]'::jsonb, 'expired_ts', ${epochMs('clock_timestamp()')})
        FROM held WHERE j.job_key = held.job_key
    ) INSERT INTO loose_objects (object_key)
      SELECT file->>'object_key' FROM held, jsonb_array_elements(held.job_result->'files') AS file
      ON CONFLICT DO NOTHING RETURNING object_key`,
);
