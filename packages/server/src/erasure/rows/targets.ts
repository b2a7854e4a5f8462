import type { JobType } from '@tastegraph/contract';
import type { DatasetRow } from '../../datasets/rows/datasets.ts';
import type { ResultFile } from '../../jobs/rows/jobs.ts';
import { one, some } from '../../kernel/postgres/statement.ts';
import type { ErasureRow } from './erasures.ts';

type ErasedDataset = Pick<DatasetRow, 'dataset_key' | 'dataset_id' | 'kind' | 'partition'>;

/**
 * The account's next dataset that may contain users. Includes deleted ones, whose records are purged in the background.
 */
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
  readonly job_type: JobType;
  readonly files: readonly ResultFile[];
}

/**
 * The account's next job whose result may contain users: a distribution only has counts, and an export of items only
 * items. Uses jobs_by_account.
 */
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
