import {
  type JobData,
  type JobResult,
  type JobType,
  jobTypes,
  limits,
  type Request,
  type Response,
} from '@tastegraph/contract';
import type { ErasedUser } from '../../http/hooks.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { boundedRows, epochMs, type PageBounds, type PageRow } from '../../kernel/postgres/sql-fragments.ts';
import { many, none, one, only } from '../../kernel/postgres/statement.ts';

/** Where what is stored differs from what the API shows. All other types are stored as the contract has them. */
interface Stored {
  DEPLOYMENT: { data: JobData<'DEPLOYMENT'> & { qps: number; keeps_qps?: boolean } };
  QUERYING: { data: WithoutColumns<Request<'submitQueryingJob'>> };
  /** `last_cluster_id` is the highest cluster ID in this result and all earlier ones of the project. */
  CLUSTERING: { result: FilesResult & { last_cluster_id: number } };
  EXPORT: { result: FilesResult & { record_count: number } };
  IMPORT: { result: FilesResult & { record_count: number; rejected_count: number } };
  /** `models` are those that were deployed when the first attempt started. */
  RECOMMENDING: {
    data: JobData<'RECOMMENDING'> & { models?: PinnedModels };
    result: FilesResult & { user_count: number };
  };
}

type StoredData<Type extends JobType> = Type extends keyof Stored
  ? Stored[Type] extends { data: infer Data }
    ? Data
    : JobData<Type>
  : JobData<Type>;

type StoredResult<Type extends JobType> = Type extends keyof Stored
  ? Stored[Type] extends { result: infer Result }
    ? Result
    : ContractResult<Type>
  : ContractResult<Type>;

type ContractResult<Type extends JobType> =
  JobResult<Type> extends { download_url: string } ? FilesResult : JobResult<Type>;

export interface PinnedModels {
  readonly generator_model_id: string;
  readonly ranker_model_id: string | null;
}

/** The submitted request, without the fields that have their own columns. */
type WithoutColumns<Submitted> = Submitted extends unknown ? Omit<Submitted, 'name' | 'project_id'> : never;

/** Files in the object store, and how to deliver them. Download URLs are signed per request and never stored. */
interface FilesResult {
  /** When the files were removed, as too old or for a user who was erased. `files` is then empty. */
  readonly expired_ts?: number;
  /** The result, then its charts, in order, then the map as JSON, then the table; for an export, its files. */
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

type Job = Response<'getJob'>;
export type JobProblem = NonNullable<Job['error']>;
export type JobProgress = NonNullable<Job['progress']>;

export interface JobRowOf<Type extends JobType> extends Omit<Job, 'job_type' | 'job_data' | 'job_result'> {
  readonly job_key: number;
  readonly job_type: Type;
  readonly job_data: StoredData<Type>;
  readonly job_result: StoredResult<Type> | null;
  readonly turn: number;
  /** The earliest time of the next attempt. */
  readonly due_ts: number;
}

export type JobRow = { [Type in JobType]: JobRowOf<Type> }[JobType];

/** A job in a list. Parts that are too large are null. */
export interface ListedJobRow extends Omit<JobRow, 'job_data'> {
  readonly job_data: JobRow['job_data'] | null;
  readonly omitted: ('job_data' | 'job_result')[];
}

const otherColumns = `j.job_key, p.project_id, j.job_id, j.job_type, j.name, j.job_status, j.retry_count, j.turn, j.error,
  j.progress, ${epochMs('j.created_at')} AS created_ts, ${epochMs('j.due_at')} AS due_ts,
  ${epochMs('j.started_at')} AS started_ts, ${epochMs('j.finished_at')} AS finished_ts`;
const columns = `${otherColumns}, j.job_data, j.job_result`;

/** A value that is large when compressed need not be decompressed to be measured. */
const isLarge = (value: string) =>
  `CASE WHEN pg_column_size(${value}) > ${limits.listedJobPartBytes} THEN true
    ELSE octet_length(${value}::text) > ${limits.listedJobPartBytes} END`;
/** Lists leave out a result's charts, of which there may be a hundred. */
const listedResult = `CASE WHEN job_result->'files'->1 IS NULL THEN job_result
  ELSE jsonb_set(job_result, '{files}', jsonb_build_array(job_result->'files'->0)) END`;
const listedColumns = `${otherColumns}, CASE WHEN large_data THEN NULL ELSE j.job_data END AS job_data,
  CASE WHEN large_result THEN NULL ELSE shown_result END AS job_result,
  array_remove(ARRAY[CASE WHEN large_data THEN 'job_data' END, CASE WHEN large_result THEN 'job_result' END], NULL) AS omitted`;

/**
 * The fair rank of the account's next job of the type, and the number of its live jobs of all types. Uses partial
 * indexes over live jobs. The caller holds the account's lock, so that two submissions do not get the same rank.
 */
export const findNextFairRank = only<[accountId: string, jobType: JobType], { turn: number; live: number }>(
  'find_next_turn',
  `SELECT greatest(
      coalesce((SELECT min(turn) FROM jobs WHERE job_type = $2 AND job_status = 'PENDING'),
        (SELECT max(turn) FROM jobs WHERE job_type = $2 AND job_status = 'RUNNING'), 0),
      (SELECT coalesce(max(turn) + 1, 0) FROM jobs
        WHERE account_id = $1 AND job_type = $2 AND job_status IN ('PENDING', 'RUNNING'))) AS turn,
    (SELECT count(*)::int FROM jobs WHERE account_id = $1 AND job_status IN ('PENDING', 'RUNNING')) AS live`,
);

export const insertJob = only<
  [
    accountId: string,
    projectKey: number,
    job: Pick<JobRow, 'job_id' | 'job_type' | 'name' | 'job_data' | 'turn'>,
  ],
  Pick<JobRow, 'job_key'>
>(
  'insert_job',
  `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING job_key`,
  (accountId, projectKey, { job_id, job_type, name, job_data, turn }) => [
    job_id,
    accountId,
    projectKey,
    job_type,
    name,
    job_data,
    turn,
  ],
);

const ofAccount =
  'j.project_key = p.project_key AND j.job_id = $3 AND p.project_id = $2 AND p.account_id = $1';

/** Uses the unique index on job_id, then checks project and account. */
export const findJob = one<[accountId: string, projectId: string, jobId: string], JobRow>(
  'find_job',
  `SELECT ${columns} FROM jobs j, projects p WHERE ${ofAccount}`,
);

export interface JobFilter {
  readonly job_type?: string | undefined;
  readonly job_status?: string | undefined;
}

/** Newest first. Each combination of filters has its own statement, so that each uses the index made for it. */
export async function listJobs(
  db: Queryable,
  projectKey: number,
  { job_type, job_status }: JobFilter,
  { beforeKey, limit, bytes }: PageBounds,
): Promise<(ListedJobRow & PageRow)[]> {
  const values: unknown[] = [projectKey, beforeKey, limit, bytes];
  const where = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND j.${column} = $${values.push(value)}`;
  const filters = where('job_type', job_type) + where('job_status', job_status);
  const statement = {
    name: `list_jobs${job_type === undefined ? '' : '_of_type'}${job_status === undefined ? '' : '_in_status'}`,
    text: boundedRows(
      'job_key DESC',
      '$4',
      `SELECT ${listedColumns} FROM jobs j JOIN projects p USING (project_key),
          LATERAL (SELECT ${listedResult} AS shown_result) AS listed,
          LATERAL (SELECT ${isLarge('j.job_data')} AS large_data,
            coalesce(${isLarge('shown_result')}, false) AS large_result) AS sizes
        WHERE j.project_key = $1 AND j.job_key < $2${filters} ORDER BY j.job_key DESC LIMIT $3`,
    ),
  };
  return db.rows(statement, values);
}

/** Undefined if the job has ended or does not exist. A worker that runs it notices at its next heartbeat. */
export const cancelJobRow = one<[accountId: string, projectId: string, jobId: string], JobRow>(
  'cancel_job',
  `UPDATE jobs j SET job_status = 'CANCELED', finished_at = clock_timestamp() FROM projects p
    WHERE ${ofAccount} AND j.job_status IN ('PENDING', 'RUNNING') RETURNING ${columns}`,
);

/** SQL: the job has ended. It never runs again. */
export const hasEnded = (job: string) => `${job}.job_status NOT IN ('PENDING', 'RUNNING')`;

/** SQL: a row for each file of a job's result; none if it has no list of files. */
const resultFiles = (result: string) =>
  `jsonb_array_elements(CASE jsonb_typeof(${result}->'files') WHEN 'array' THEN ${result}->'files' ELSE '[]' END)`;

/**
 * SQL: CTEs that delete jobs, orphan the files of their results, and keep their cluster IDs from being reused. `which` follows `DELETE FROM
 * jobs j`; the deleted rows are `j`.
 */
export const deletedJobs = (which: string) => `j AS (
      DELETE FROM jobs j ${which} RETURNING j.*
    ), orphaned AS (
      INSERT INTO loose_objects (object_key)
        SELECT file->>'object_key' FROM j, ${resultFiles('j.job_result')} AS file
        ON CONFLICT DO NOTHING
    ), kept AS (
      UPDATE projects SET last_cluster_id = greatest(projects.last_cluster_id, used.last_cluster_id) FROM (
          SELECT project_key, max((job_result->>'last_cluster_id')::int) AS last_cluster_id FROM j
            WHERE job_result ? 'last_cluster_id' GROUP BY project_key) used
        WHERE projects.project_key = used.project_key
    )`;

/** Undefined if it has not ended or does not exist. Its files become orphaned; its cluster IDs are never reused. */
export const deleteJobRow = one<[accountId: string, projectId: string, jobId: string], JobRow>(
  'delete_job',
  `WITH ${deletedJobs(`USING projects p WHERE ${ofAccount} AND ${hasEnded('j')}`)}
    SELECT ${columns} FROM j JOIN projects p USING (project_key)`,
);

export interface EndedJob
  extends Pick<JobRow, 'project_id' | 'job_id' | 'job_type' | 'name' | 'job_status' | 'error'> {
  readonly account_id: string;
}

/** By primary key, for the transaction that ends the job. */
export const findEndedJob = one<[jobKey: number], EndedJob>(
  'find_ended_job',
  `SELECT j.account_id, p.project_id, j.job_id, j.job_type, j.name, j.job_status, j.error
    FROM jobs j JOIN projects p USING (project_key) WHERE j.job_key = $1`,
);

export interface WaitingJobs {
  readonly job_type: string;
  readonly jobs: number;
  /** Waiting time of the oldest one. */
  readonly seconds: number;
}

/** Every scrape of every api process counts them: more would take longer and say the same. */
const maxCounted = 10_000;

// now(): clock_timestamp() cannot be a condition of an index.

/** For each type, the jobs of all accounts that are due and wait for a free worker, counted up to `limit`. Uses jobs_pending_by_due. */
export const countWaitingJobs = many<[limit?: number], WaitingJobs>(
  'count_waiting_jobs',
  `SELECT t.job_type, w.jobs, w.seconds FROM unnest($1::text[]) AS t (job_type), LATERAL (
      SELECT count(*)::int AS jobs, coalesce(extract(epoch FROM now() - min(oldest.due_at))::float8, 0) AS seconds FROM (
        SELECT j.due_at FROM jobs j WHERE j.job_type = t.job_type AND j.job_status = 'PENDING' AND j.due_at <= now()
          ORDER BY j.due_at LIMIT $2
      ) oldest
    ) w`,
  (limit = maxCounted) => [jobTypes, limit],
);

/** How many of the account's jobs are ahead of a PENDING one, and whether a worker was seen recently. */
export const findQueuePosition = only<
  [accountId: string, job: JobRow, withinSeconds: number],
  { ahead: number; has_workers: boolean }
>(
  'count_jobs_ahead',
  `SELECT (SELECT count(*)::int FROM jobs WHERE account_id = $5 AND job_type = $1 AND job_status = 'PENDING'
        AND (turn, job_key) < ($2::int, $3::int)) AS ahead,
    EXISTS (SELECT FROM workers WHERE seen_at > clock_timestamp() - $4 * interval '1 second') AS has_workers`,
  (accountId, { job_type, turn, job_key }, withinSeconds) => [
    job_type,
    turn,
    job_key,
    withinSeconds,
    accountId,
  ],
);

/** Removes the user from the lists of users that the account's jobs were submitted with. Scans jobs_by_account. */
export const forgetListedUser = none<[user: ErasedUser]>(
  'forget_listed_user',
  `UPDATE jobs SET job_data = jsonb_set(job_data, '{user_ids}', (job_data->'user_ids') - $2::text)
    WHERE account_id = $1 AND job_type = 'RECOMMENDING' AND job_data->'user_ids' ? $2`,
  ({ account_id, user_id }) => [account_id, user_id],
);
