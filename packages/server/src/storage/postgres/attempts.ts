import type { JobProblem, JobProgress, JobRow, JobRowOf, JobType } from './jobs.ts';
import type { Queryable, Statement } from './pool.ts';

/**
 * A worker's hold on a job. Every write of a worker names its attempt, and changes nothing once the job was given to
 * another, was canceled, or is gone: that is the fence.
 */
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

const startStatement: Statement = {
  name: 'start_attempt',
  text: `UPDATE jobs SET job_status = 'RUNNING', attempt = attempt + 1, started_at = clock_timestamp(),
      heartbeat_at = clock_timestamp(), error = NULL, progress = NULL
    WHERE job_key = $1 AND attempt = $2 AND job_status = 'PENDING'
    RETURNING job_key, attempt, job_id, job_type, name, job_data, retry_count, account_id, project_key`,
};

/** Undefined when it was canceled, is gone, or was delivered before. The delivery said of which type the job is. */
export async function startAttempt<Type extends JobType>(
  tx: Queryable,
  jobKey: number,
  attemptsBefore: number,
): Promise<AttemptRow<Type> | undefined> {
  const [row] = await tx.rows<AttemptRow<Type>>(startStatement, [jobKey, attemptsBefore]);
  return row;
}

const held = `job_key = $1 AND attempt = $2 AND job_status = 'RUNNING'`;

const progressStatement: Statement = {
  name: 'update_progress',
  text: `UPDATE jobs SET progress = $3 WHERE ${held}`,
};

export async function updateProgress(db: Queryable, hold: Attempt, progress: JobProgress): Promise<void> {
  await db.rows(progressStatement, [hold.job_key, hold.attempt, progress]);
}

const succeedStatement: Statement = {
  name: 'succeed_attempt',
  text: `UPDATE jobs SET job_status = 'SUCCEED', job_result = $3, finished_at = clock_timestamp(),
      progress = '{"stage": "done", "fraction": 1, "message": null}'
    WHERE ${held} RETURNING extract(epoch FROM finished_at - started_at)::float8 AS seconds`,
};

/** How long the attempt took; undefined, and nothing is written, when it no longer holds the job. */
export async function succeedAttempt(
  tx: Queryable,
  hold: Attempt,
  result: object,
): Promise<{ seconds: number } | undefined> {
  const [row] = await tx.rows<{ seconds: number }>(succeedStatement, [hold.job_key, hold.attempt, result]);
  return row;
}

const succeededStatement: Statement = {
  name: 'find_succeeded_attempt',
  text: `SELECT job_key FROM jobs WHERE job_key = $1 AND attempt = $2 AND job_status = 'SUCCEED'`,
};

export async function hasSucceeded(db: Queryable, { job_key, attempt }: Attempt): Promise<boolean> {
  return (await db.rows(succeededStatement, [job_key, attempt])).length > 0;
}

const failStatement: Statement = {
  name: 'fail_attempt',
  text: `UPDATE jobs SET job_status = 'FAILED', error = $3, finished_at = clock_timestamp() WHERE ${held} RETURNING job_key`,
};

/** False, and nothing is written, when the attempt no longer holds the job. */
export async function failAttempt(tx: Queryable, hold: Attempt, error: JobProblem): Promise<boolean> {
  return (await tx.rows(failStatement, [hold.job_key, hold.attempt, error])).length > 0;
}

const releaseStatement: Statement = {
  name: 'release_attempt',
  text: `UPDATE jobs SET job_status = 'PENDING', retry_count = retry_count + $3, error = $4, progress = NULL,
      due_at = clock_timestamp() + $5 * interval '1 second'
    WHERE ${held} RETURNING job_type, turn`,
};

/** Back to PENDING, to be sent again; undefined, and nothing is written, when the attempt no longer holds the job. */
export async function releaseAttempt(
  tx: Queryable,
  hold: Attempt,
  { retries, error, afterSeconds }: { retries: number; error: JobProblem | null; afterSeconds: number },
): Promise<Pick<JobRow, 'job_type' | 'turn'> | undefined> {
  const values = [hold.job_key, hold.attempt, retries, error, afterSeconds];
  const [row] = await tx.rows<Pick<JobRow, 'job_type' | 'turn'>>(releaseStatement, values);
  return row;
}

const runningStatement: Statement = {
  name: 'list_running',
  text: `SELECT job_key, attempt, retry_count, heartbeat_at::text AS heartbeat FROM jobs
    WHERE job_status = 'RUNNING' ORDER BY job_key`,
};

export interface RunningRow extends Attempt {
  readonly retry_count: number;
  /** As text: it is only ever compared with itself. */
  readonly heartbeat: string;
}

/** All of them, by the partial index over running jobs: as many as the cell's workers have places. */
export async function listRunning(db: Queryable): Promise<RunningRow[]> {
  return db.rows(runningStatement, []);
}

const heldOf = (
  columns: string,
) => `SELECT ${columns} FROM jobs j JOIN (SELECT unnest($1::int[]) AS job_key, unnest($2::int[]) AS attempt) held
    ON held.job_key = j.job_key AND held.attempt = j.attempt WHERE j.job_status = 'RUNNING'`;

/**
 * For a connection of the heartbeat's own; $1 and $2 are the attempts held, $3 is the worker. Answers those still held.
 * Waits for no row: one that is being published is locked, and the worker's other jobs must not be missed for it.
 */
export const beatText = `WITH seen AS (
    INSERT INTO workers (worker_id) VALUES ($3) ON CONFLICT (worker_id) DO UPDATE SET seen_at = clock_timestamp()
  ), beaten AS (
    UPDATE jobs SET heartbeat_at = clock_timestamp() WHERE job_key IN (${heldOf('j.job_key')} FOR UPDATE OF j SKIP LOCKED)
  ) ${heldOf('j.job_key, j.attempt')}`;

const forgetWorkersStatement: Statement = {
  name: 'delete_workers',
  text: `DELETE FROM workers WHERE worker_id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
};

/** The worker that stops, and those that nobody saw for a day. */
export async function deleteWorkers(db: Queryable, workerId: string): Promise<void> {
  await db.rows(forgetWorkersStatement, [workerId]);
}
