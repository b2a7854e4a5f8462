import type { JobType } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { many, none, one, some, statement, value } from '../../kernel/postgres/statement.ts';
import type { JobProblem, JobProgress, JobRow, JobRowOf, PinnedModels } from './jobs.ts';

/** A worker's lease on a job, and its fencing token: a write that names a lost attempt changes nothing. */
export interface Attempt {
  readonly job_key: number;
  readonly attempt: number;
}

export interface AttemptRow<Type extends JobType = JobType>
  extends Attempt,
    Pick<JobRowOf<Type>, 'job_id' | 'job_type' | 'name' | 'job_data' | 'retry_count'> {
  readonly account_id: string;
  readonly project_key: number;
}

const startStatement = statement(
  'start_attempt',
  `UPDATE jobs SET job_status = 'RUNNING', attempt = attempt + 1, started_at = clock_timestamp(),
      heartbeat_at = clock_timestamp(), error = NULL, progress = NULL
    WHERE job_key = $1 AND attempt = $2 AND job_status = 'PENDING'
    RETURNING job_key, attempt, job_id, job_type, name, job_data, retry_count, account_id, project_key`,
);

/** Undefined if the job was canceled, deleted, or already delivered. The delivery has the job's type. */
export async function startAttempt<Type extends JobType>(
  tx: Queryable,
  jobKey: number,
  attemptsBefore: number,
): Promise<AttemptRow<Type> | undefined> {
  const [row] = await tx.rows<AttemptRow<Type>>(startStatement, [jobKey, attemptsBefore]);
  return row;
}

const isCurrentAttempt = `job_key = $1 AND attempt = $2 AND job_status = 'RUNNING'`;

export const updateProgress = none<[attempt: Attempt, progress: JobProgress]>(
  'update_progress',
  `UPDATE jobs SET progress = $3 WHERE ${isCurrentAttempt}`,
  ({ job_key, attempt }, progress) => [job_key, attempt, progress],
);

/** The attempt's duration. Undefined, and nothing is written, if the attempt has lost the job. */
export const succeedAttempt = one<[attempt: Attempt, result: object], { seconds: number }>(
  'succeed_attempt',
  `UPDATE jobs SET job_status = 'SUCCEED', job_result = $3, finished_at = clock_timestamp(),
      progress = '{"stage": "done", "fraction": 1, "message": null}'
    WHERE ${isCurrentAttempt} RETURNING extract(epoch FROM finished_at - started_at)::float8 AS seconds`,
  ({ job_key, attempt }, result) => [job_key, attempt, result],
);

export const hasSucceeded = some<[attempt: Attempt]>(
  'find_succeeded_attempt',
  `SELECT job_key FROM jobs WHERE job_key = $1 AND attempt = $2 AND job_status = 'SUCCEED'`,
  ({ job_key, attempt }) => [job_key, attempt],
);

/** False, and nothing is written, if the attempt has lost the job. */
export const failAttempt = some<[attempt: Attempt, error: JobProblem]>(
  'fail_attempt',
  `UPDATE jobs SET job_status = 'FAILED', error = $3, finished_at = clock_timestamp() WHERE ${isCurrentAttempt} RETURNING job_key`,
  ({ job_key, attempt }, error) => [job_key, attempt, error],
);

/** Stores with the job which models are deployed now. Undefined if none are, or if the attempt has lost the job. */
export const pinModels = value<[attempt: Attempt], PinnedModels>(
  'pin_models',
  `UPDATE jobs j SET job_data = j.job_data || jsonb_build_object('models', jsonb_build_object(
      'generator_model_id', g.model_id, 'ranker_model_id', r.model_id))
    FROM deployments d JOIN models g ON g.model_key = d.generator_model_key
      LEFT JOIN models r ON r.model_key = d.ranker_model_key
    WHERE j.job_key = $1 AND j.attempt = $2 AND j.job_status = 'RUNNING' AND d.project_key = j.project_key RETURNING j.job_data->'models' AS models`,
  ({ job_key, attempt }) => [job_key, attempt],
);

/** Sets the job to PENDING, to be queued again. Undefined, and nothing is written, if the attempt has lost the job. */
export const releaseAttempt = one<
  [attempt: Attempt, how: { retries: number; error: JobProblem | null; afterSeconds: number }],
  Pick<JobRow, 'job_type' | 'turn'> & { readonly account_id: string }
>(
  'release_attempt',
  `UPDATE jobs SET job_status = 'PENDING', retry_count = retry_count + $3, error = $4, progress = NULL,
      due_at = clock_timestamp() + $5 * interval '1 second'
    WHERE ${isCurrentAttempt} RETURNING job_type, turn, account_id`,
  ({ job_key, attempt }, { retries, error, afterSeconds }) => [
    job_key,
    attempt,
    retries,
    error,
    afterSeconds,
  ],
);

export interface RunningRow extends Attempt {
  readonly retry_count: number;
  /** As text: it is only compared for equality. */
  readonly heartbeat: string;
}

/** All running jobs, by a partial index: as many as the cell's workers can run at once. */
export const listRunning = many<[], RunningRow>(
  'list_running',
  `SELECT job_key, attempt, retry_count, heartbeat_at::text AS heartbeat FROM jobs
    WHERE job_status = 'RUNNING' ORDER BY job_key`,
);

const currentAttempts = (
  columns: string,
) => `SELECT ${columns} FROM jobs j JOIN (SELECT unnest($1::int[]) AS job_key, unnest($2::int[]) AS attempt) held
    ON held.job_key = j.job_key AND held.attempt = j.attempt WHERE j.job_status = 'RUNNING'`;

/**
 * For the heartbeat's own connection. $1 and $2 are the worker's attempts, $3 is its ID. Returns the attempts that
 * still have their jobs. Skips locked rows: a job that is being published is locked, and must not delay the heartbeats
 * of the others.
 */
export const beatText = `WITH seen AS (
    INSERT INTO workers (worker_id) VALUES ($3) ON CONFLICT (worker_id) DO UPDATE SET seen_at = clock_timestamp()
  ), beaten AS (
    UPDATE jobs SET heartbeat_at = clock_timestamp() WHERE job_key IN (${currentAttempts('j.job_key')} FOR UPDATE OF j SKIP LOCKED)
  ) ${currentAttempts('j.job_key, j.attempt')}`;

/** Deletes the worker that stops, and those not seen for a day. */
export const deleteWorkers = none<[workerId: string]>(
  'delete_workers',
  `DELETE FROM workers WHERE worker_id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
);
