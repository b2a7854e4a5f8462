import type { Request } from '@tastegraph/contract';
import { epochMs } from './epoch.ts';
import type { Queryable, Statement } from './pool.ts';

/** What each type of job is given, and what it comes to. */
interface JobKinds {
  TRAINING: {
    data: { algorithm_type: 'G1'; algorithm_parameters: Record<string, unknown> };
    result: { model_id: string };
  };
  DEPLOYMENT: {
    data: { generator_model_id: string; ranker_model_id: string | null; qps: number };
    result: { serving_uri: string };
  };
  QUERYING: { data: WithoutPlace<Request<'submitQueryingJob'>>; result: FilesResult };
  CLUSTERING: {
    data: WithoutPlace<Request<'submitClusteringJob'>>;
    /** No cluster of this result, or of an earlier one of the project, has an id above it. */
    result: FilesResult & { last_cluster_id: number };
  };
}

/** What was submitted, but for what has a column of its own. */
type WithoutPlace<Submitted> = Submitted extends unknown ? Omit<Submitted, 'name' | 'project_id'> : never;

/** What lies in the object store, and how it is handed out. Addresses are signed when somebody asks, and never kept. */
interface FilesResult {
  /** The result, then its charts in order. */
  readonly files: readonly ResultFile[];
  readonly message: string | null;
}

export interface ResultFile {
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
  readonly file_name: string;
  readonly content_type: string;
}

export type JobType = keyof JobKinds;
type JobStatus = 'PENDING' | 'RUNNING' | 'SUCCEED' | 'FAILED' | 'CANCELED';

export interface JobProblem {
  readonly code: string;
  readonly message: string;
}

export interface JobProgress {
  readonly stage: string;
  readonly fraction: number;
  readonly message: string | null;
}

export interface JobRowOf<Type extends JobType> {
  readonly job_key: number;
  readonly project_id: string;
  readonly job_id: string;
  readonly job_type: Type;
  readonly name: string;
  readonly job_data: JobKinds[Type]['data'];
  readonly job_status: JobStatus;
  readonly retry_count: number;
  readonly turn: number;
  readonly job_result: JobKinds[Type]['result'] | null;
  readonly error: JobProblem | null;
  readonly progress: JobProgress | null;
  readonly created_ts: number;
  /** When the next attempt may begin. */
  readonly due_ts: number;
  readonly started_ts: number | null;
  readonly finished_ts: number | null;
}

export type JobRow = { [Type in JobType]: JobRowOf<Type> }[JobType];

const columns = `j.job_key, p.project_id, j.job_id, j.job_type, j.name, j.job_data, j.job_status, j.retry_count, j.turn,
  j.job_result, j.error, j.progress, ${epochMs('j.created_at')} AS created_ts, ${epochMs('j.due_at')} AS due_ts,
  ${epochMs('j.started_at')} AS started_ts, ${epochMs('j.finished_at')} AS finished_ts`;

const turnStatement: Statement = {
  name: 'find_next_turn',
  text: `SELECT greatest(
      coalesce((SELECT min(turn) FROM jobs WHERE job_type = $2 AND job_status = 'PENDING'),
        (SELECT max(turn) FROM jobs WHERE job_type = $2 AND job_status = 'RUNNING'), 0),
      (SELECT coalesce(max(turn) + 1, 0) FROM jobs
        WHERE account_id = $1 AND job_type = $2 AND job_status IN ('PENDING', 'RUNNING'))) AS turn,
    (SELECT count(*)::int FROM jobs WHERE account_id = $1 AND job_status IN ('PENDING', 'RUNNING')) AS live`,
};

/**
 * The turn of the account's next job of the type, and how many live jobs it has of all types. Reads partial indexes over
 * live jobs. The caller holds the account's row, so that two submissions do not get the same turn.
 */
export async function findNextTurn(
  tx: Queryable,
  accountId: string,
  jobType: JobType,
): Promise<{ turn: number; live: number }> {
  const [row] = await tx.rows<{ turn: number; live: number }>(turnStatement, [accountId, jobType]);
  if (!row) throw new Error('no turn was found');
  return row;
}

const insertStatement: Statement = {
  name: 'insert_job',
  text: `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING job_key`,
};

export async function insertJob(
  tx: Queryable,
  accountId: string,
  projectKey: number,
  job: Pick<JobRow, 'job_id' | 'job_type' | 'name' | 'job_data' | 'turn'>,
): Promise<number> {
  const values = [job.job_id, accountId, projectKey, job.job_type, job.name, job.job_data, job.turn];
  const [row] = await tx.rows<{ job_key: number }>(insertStatement, values);
  if (!row) throw new Error('the job was not inserted');
  return row.job_key;
}

const ofAccount =
  'j.project_key = p.project_key AND j.job_id = $3 AND p.project_id = $1 AND p.account_id = $2';

const findStatement: Statement = {
  name: 'find_job',
  text: `SELECT ${columns} FROM jobs j, projects p WHERE ${ofAccount}`,
};

/** By the unique index on job_id, then its project and account. */
export async function findJob(
  db: Queryable,
  accountId: string,
  projectId: string,
  jobId: string,
): Promise<JobRow | undefined> {
  const [row] = await db.rows<JobRow>(findStatement, [projectId, accountId, jobId]);
  return row;
}

export interface JobFilter {
  readonly job_type?: string | undefined;
  readonly job_status?: string | undefined;
}

/** Newest first, those older than `beforeKey`. Each combination has its own text, so that each walks the index made for it. */
export async function listJobs(
  db: Queryable,
  projectKey: number,
  { job_type, job_status }: JobFilter,
  beforeKey: number,
  limit: number,
): Promise<JobRow[]> {
  const values: unknown[] = [projectKey, beforeKey, limit];
  const where = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND j.${column} = $${values.push(value)}`;
  const filters = where('job_type', job_type) + where('job_status', job_status);
  const statement = {
    name: `list_jobs${job_type === undefined ? '' : '_of_type'}${job_status === undefined ? '' : '_in_status'}`,
    text: `SELECT ${columns} FROM jobs j JOIN projects p USING (project_key)
      WHERE j.project_key = $1 AND j.job_key < $2${filters} ORDER BY j.job_key DESC LIMIT $3`,
  };
  return db.rows(statement, values);
}

const cancelStatement: Statement = {
  name: 'cancel_job',
  text: `UPDATE jobs j SET job_status = 'CANCELED', finished_at = clock_timestamp() FROM projects p
    WHERE ${ofAccount} AND j.job_status IN ('PENDING', 'RUNNING') RETURNING ${columns}`,
};

/** Undefined when it has ended, or is not there. Its worker, if it has one, finds out at its next heartbeat. */
export async function cancelJobRow(
  db: Queryable,
  accountId: string,
  projectId: string,
  jobId: string,
): Promise<JobRow | undefined> {
  const [row] = await db.rows<JobRow>(cancelStatement, [projectId, accountId, jobId]);
  return row;
}

export interface WaitingJobs {
  readonly job_type: string;
  readonly jobs: number;
  /** Of the one that waits the longest. */
  readonly seconds: number;
}

const jobTypes = ['TRAINING', 'DEPLOYMENT', 'QUERYING', 'CLUSTERING'] as const satisfies readonly JobType[];

const waitingStatement: Statement = {
  name: 'count_waiting_jobs',
  text: `SELECT job_type, count(*)::int AS jobs, extract(epoch FROM clock_timestamp() - min(due_at))::float8 AS seconds
    FROM jobs WHERE job_status = 'PENDING' AND due_at <= clock_timestamp() GROUP BY job_type`,
};

/** For each type, jobs of all accounts that could begin, had a worker a place for them. Reads a partial index. */
export async function countWaitingJobs(db: Queryable): Promise<WaitingJobs[]> {
  const rows = await db.rows<WaitingJobs>(waitingStatement, []);
  return jobTypes.map(
    (job_type) => rows.find((row) => row.job_type === job_type) ?? { job_type, jobs: 0, seconds: 0 },
  );
}

const aheadStatement: Statement = {
  name: 'count_jobs_ahead',
  text: `SELECT (SELECT count(*)::int FROM jobs WHERE job_type = $1 AND job_status = 'PENDING'
        AND (turn, job_key) < ($2::int, $3::int)) AS ahead,
    EXISTS (SELECT FROM workers WHERE seen_at > clock_timestamp() - $4 * interval '1 second') AS has_workers`,
};

/** How many jobs a PENDING one waits for, and whether a worker was seen of late. */
export async function findWaiting(
  db: Queryable,
  { job_type, turn, job_key }: JobRow,
  withinSeconds: number,
): Promise<{ ahead: number; has_workers: boolean }> {
  const [row] = await db.rows<{ ahead: number; has_workers: boolean }>(aheadStatement, [
    ...[job_type, turn, job_key],
    withinSeconds,
  ]);
  if (!row) throw new Error('no count was found');
  return row;
}
