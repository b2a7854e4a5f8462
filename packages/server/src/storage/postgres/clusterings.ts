import type { AttemptRow } from './attempts.ts';
import type { JobRowOf, ResultFile } from './jobs.ts';
import type { Queryable, Statement } from './pool.ts';

/** A clustering that a new one goes on from. */
export interface PreviousClustering {
  readonly file: ResultFile | null;
  /** The highest id that a cluster of the project ever had; 0 before the first. */
  readonly last_cluster_id: number;
}

const previousStatement: Statement = {
  name: 'find_previous_clustering',
  text: `WITH ended AS (
      SELECT job_key, job_result, job_data = $2 AS same FROM jobs
      WHERE project_key = $1 AND job_type = 'CLUSTERING' AND job_status = 'SUCCEED'
    ) SELECT (SELECT job_result->'files'->0 FROM ended ORDER BY same DESC, job_key DESC LIMIT 1) AS file,
      (SELECT coalesce(max((job_result->>'last_cluster_id')::int), 0) FROM ended) AS last_cluster_id`,
};

/**
 * The newest that succeeded with the same model and parameters, else the newest of the project. Walks the project's
 * clusterings, by jobs_by_type.
 */
export async function findPreviousClustering(
  db: Queryable,
  projectKey: number,
  data: JobRowOf<'CLUSTERING'>['job_data'],
): Promise<PreviousClustering> {
  const [row] = await db.rows<PreviousClustering>(previousStatement, [projectKey, data]);
  return row ?? { file: null, last_cluster_id: 0 };
}

const lockProjectStatement: Statement = {
  name: 'lock_project_for_clusters',
  text: 'SELECT FROM projects WHERE project_key = $1 FOR NO KEY UPDATE',
};

const lastIdStatement: Statement = {
  name: 'find_last_cluster_id',
  text: `SELECT coalesce(max((job_result->>'last_cluster_id')::int), 0) AS last_cluster_id FROM jobs
    WHERE project_key = $1 AND job_type = 'CLUSTERING' AND job_status = 'SUCCEED' AND job_key <> $2`,
};

/** The highest that a cluster of the project has in other jobs' results; no further one succeeds until the transaction ends. */
export async function lockLastClusterId(
  tx: Queryable,
  { project_key, job_key }: Pick<AttemptRow, 'project_key' | 'job_key'>,
): Promise<number> {
  await tx.rows(lockProjectStatement, [project_key]);
  const [row] = await tx.rows<{ last_cluster_id: number }>(lastIdStatement, [project_key, job_key]);
  return row?.last_cluster_id ?? 0;
}
