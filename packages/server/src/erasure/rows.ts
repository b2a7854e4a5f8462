import type { DatasetRow } from '../datasets/rows/datasets.ts';
import type { ResultFile } from '../jobs/rows/jobs.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { epochMs } from '../kernel/postgres/sql-fragments.ts';
import { count, none, one, only, some, statementPer } from '../kernel/postgres/statement.ts';

export interface ErasureRow {
  readonly erasure_id: string;
  readonly account_id: string;
  /** Null once the erasure is done. */
  readonly user_id: string | null;
  readonly stage: 'RECORDS' | 'SNAPSHOTS' | 'RESULTS' | 'DECISIONS' | 'FILES' | 'DONE';
  readonly position: number;
  readonly round: number;
  /** Counts by "KIND location". */
  readonly removed: Readonly<Record<string, number>>;
  readonly created_ts: number;
  readonly records_deleted_ts: number | null;
  readonly finished_ts: number | null;
}

/** An erasure that is not done. */
export type RunningErasure = ErasureRow & { readonly user_id: string };

const columns = `erasure_id, account_id, user_id, stage, position::float8 AS position, round, removed, ${epochMs('created_at')} AS created_ts,
  ${epochMs('records_deleted_at')} AS records_deleted_ts, ${epochMs('finished_at')} AS finished_ts`;

/** Counts the account's running erasures of other users. Uses erasures_running. */
export const countRunningErasures = count<[accountId: string, userId: string]>(
  'count_running_erasures',
  'SELECT count(*)::int AS running FROM erasures WHERE account_id = $1 AND user_id IS NOT NULL AND user_id <> $2',
);

/** Starts the account's erasure of the user, or restarts the running one. No worker claims it for `seconds`. */
export const startErasure = only<
  [accountId: string, userId: string, erasureId: string, seconds: number],
  ErasureRow
>(
  'start_erasure',
  `INSERT INTO erasures AS e (erasure_id, account_id, user_id, due_at)
    VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
    ON CONFLICT (account_id, user_id) WHERE user_id IS NOT NULL DO UPDATE SET stage = 'RECORDS', position = 0,
      round = e.round + 1, records_deleted_at = NULL, snapshots_removed_at = NULL, due_at = excluded.due_at
    RETURNING ${columns}`,
  (accountId, userId, erasureId, seconds) => [erasureId, accountId, userId, seconds],
);

/** By primary key, then checks the account. */
export const findErasure = one<[accountId: string, erasureId: string], ErasureRow>(
  'find_erasure',
  `SELECT ${columns} FROM erasures WHERE erasure_id = $2 AND account_id = $1`,
);

/** The erasure that has waited longest, of any account. Safe if a second worker claims it after `seconds`. */
export const claimErasure = one<[seconds: number], RunningErasure>(
  'claim_erasure',
  `UPDATE erasures SET due_at = clock_timestamp() + $1 * interval '1 second'
    WHERE erasure_id = (SELECT erasure_id FROM erasures WHERE user_id IS NOT NULL AND due_at <= clock_timestamp()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${columns}`,
);

export const releaseErasure = none<[erasureId: string, afterSeconds: number]>(
  'release_erasure',
  `UPDATE erasures SET due_at = clock_timestamp() + $2 * interval '1 second' WHERE erasure_id = $1`,
);

/** In the step's transaction. The count is kept even if the erasure was restarted meanwhile. */
export const saveErasureStep = none<
  [
    erasure: ErasureRow,
    step: { position: number; kind: string; where: string; count: number; objectKeys?: readonly string[] },
  ]
>(
  'note_erased',
  `UPDATE erasures SET
      removed = CASE WHEN $5::int > 0
        THEN removed || jsonb_build_object($4::text, coalesce((removed->>$4::text)::int, 0) + $5::int) ELSE removed END,
      object_keys = object_keys || $6::text[],
      position = CASE WHEN round = $2 THEN $3 ELSE position END
    WHERE erasure_id = $1 AND user_id IS NOT NULL`,
  ({ erasure_id, round }, step) => [
    erasure_id,
    round,
    step.position,
    `${step.kind} ${step.where}`,
    step.count,
    step.objectKeys ?? [],
  ],
);

const endOf = (stage: string, changes: string) =>
  `UPDATE erasures SET position = 0, ${changes} WHERE erasure_id = $1 AND round = $2 AND stage = '${stage}'`;
const endStatements = statementPer('end_erasure_stage', {
  RECORDS: endOf('RECORDS', `stage = 'SNAPSHOTS', records_deleted_at = clock_timestamp()`),
  SNAPSHOTS: endOf('SNAPSHOTS', `stage = 'RESULTS', snapshots_removed_at = clock_timestamp()`),
  RESULTS: endOf('RESULTS', `stage = 'DECISIONS'`),
  DECISIONS: endOf('DECISIONS', `stage = 'FILES'`),
  FILES: endOf(
    'FILES',
    `stage = 'DONE', user_id = NULL, object_keys = '{}', finished_at = clock_timestamp()`,
  ),
});

/** Moves to the next stage. Does nothing if the erasure was restarted meanwhile. */
export async function endStage(
  db: Queryable,
  { erasure_id, round }: ErasureRow,
  stage: keyof typeof endStatements,
): Promise<void> {
  await db.rows(endStatements[stage], [erasure_id, round]);
}

/** Whether recommendation calls of the account may be answered now. */
export const hasDeployments = some<[accountId: string]>(
  'find_deployment_of_account',
  `SELECT FROM projects p JOIN deployments d USING (project_key) WHERE p.account_id = $1 LIMIT 1`,
);

type ErasedDataset = Pick<DatasetRow, 'dataset_key' | 'dataset_id' | 'kind' | 'partition'>;

/** Of users or events. Includes deleted ones, whose records are purged in the background. */
export const findNextDataset = one<[erasure: ErasureRow], ErasedDataset>(
  'find_next_erased_dataset',
  `SELECT dataset_key, dataset_id, kind, partition FROM datasets
    WHERE account_id = $1 AND dataset_key > $2 AND kind IN ('user', 'event') ORDER BY dataset_key LIMIT 1`,
  ({ account_id, position }) => [account_id, position],
);

export interface ErasedFile {
  /** Key of the model or job. */
  readonly key: number;
  readonly project_id: string;
  readonly object_key: string;
}

export interface ErasedSnapshot extends ErasedFile {
  readonly size: number;
}

/** The account's next model with a snapshot. Uses projects_by_account and models_by_project. */
export const findNextSnapshot = one<[erasure: ErasureRow], ErasedSnapshot>(
  'find_next_erased_snapshot',
  `SELECT m.model_key AS key, p.project_id, m.snapshot_key AS object_key, m.snapshot_size::float8 AS size
    FROM projects p JOIN models m USING (project_key)
    WHERE p.account_id = $1 AND m.model_key > $2 AND m.snapshot_key IS NOT NULL ORDER BY m.model_key LIMIT 1`,
  ({ account_id, position }) => [account_id, position],
);

export interface ErasedResult extends Omit<ErasedFile, 'object_key'> {
  readonly job_type: string;
  readonly files: readonly ResultFile[];
}

/** Skips what names no users: distributions, which have counts only, and exports of items. Uses jobs_by_account. */
export const findNextResult = one<[erasure: ErasureRow], ErasedResult>(
  'find_next_erased_result',
  `SELECT j.job_key AS key, p.project_id, j.job_type, j.job_result->'files' AS files
    FROM jobs j JOIN projects p USING (project_key)
    WHERE j.account_id = $1 AND j.job_key > $2 AND j.job_status = 'SUCCEED' AND (j.job_result -> 'files' -> 0) IS NOT NULL
      AND j.job_data->>'query_type' IS DISTINCT FROM 'user_distribution'
      AND NOT (j.job_type = 'EXPORT' AND j.job_data ? 'item_dataset_id')
    ORDER BY j.job_key LIMIT 1`,
  ({ account_id, position }) => [account_id, position],
);

/**
 * Whether a running job, or an attempt whose parts the job keeps, began before the previous stage ended: it may have
 * read data that was erased since. Uses jobs_live_by_account.
 */
export const hasEarlierJobs = some<[erasure: ErasureRow]>(
  'find_jobs_begun_before_erasure',
  `SELECT j.job_key FROM erasures e JOIN jobs j USING (account_id),
      LATERAL (SELECT coalesce(e.snapshots_removed_at, e.records_deleted_at) AS ended_at) AS stage
    WHERE e.erasure_id = $1 AND j.job_status IN ('PENDING', 'RUNNING')
      AND (j.job_status = 'RUNNING' AND j.started_at <= stage.ended_at
        OR EXISTS (SELECT FROM job_parts p WHERE p.job_key = j.job_key AND p.started_at <= stage.ended_at)) LIMIT 1`,
  ({ erasure_id }) => [erasure_id],
);

/** Whether the object store still has a file that this erasure orphaned. */
export const hasFilesLeft = some<[erasure: ErasureRow]>(
  'find_files_left_by_erasure',
  `SELECT l.object_key FROM erasures e JOIN loose_objects l ON l.object_key = ANY (e.object_keys)
    WHERE e.erasure_id = $1 LIMIT 1`,
  ({ erasure_id }) => [erasure_id],
);
