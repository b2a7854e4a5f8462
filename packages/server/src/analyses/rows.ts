import type { AttemptRow } from '../jobs/rows/attempts.ts';
import type { JobRowOf, ResultFile } from '../jobs/rows/jobs.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { count, none, only } from '../kernel/postgres/statement.ts';

/** The clustering that a new one continues. */
export interface PreviousClustering {
  readonly file: ResultFile | null;
  /** The highest cluster ID that the project ever used; 0 before the first. */
  readonly last_cluster_id: number;
}

/** With the same model and parameters if its result still exists, else the project's newest. Uses jobs_by_type. */
export const findPreviousClustering = only<
  [projectKey: number, data: JobRowOf<'CLUSTERING'>['job_data']],
  PreviousClustering
>(
  'find_previous_clustering',
  `WITH ended AS (
      SELECT job_key, job_result, job_data - 'table_format' = $2::jsonb - 'table_format' AS same FROM jobs
      WHERE project_key = $1 AND job_type = 'CLUSTERING' AND job_status = 'SUCCEED'
    ) SELECT (SELECT job_result->'files'->0 FROM ended WHERE job_result->'files'->0 IS NOT NULL
        ORDER BY same DESC, job_key DESC LIMIT 1) AS file,
      greatest((SELECT max((job_result->>'last_cluster_id')::int) FROM ended),
        (SELECT last_cluster_id FROM projects WHERE project_key = $1)) AS last_cluster_id`,
);

const lockProject = none<[projectKey: number]>(
  'lock_project_for_clusters',
  'SELECT FROM projects WHERE project_key = $1 FOR NO KEY UPDATE',
);

const findLastClusterId = count<[projectKey: number, jobKey: number]>(
  'find_last_cluster_id',
  `SELECT greatest((SELECT max((job_result->>'last_cluster_id')::int) FROM jobs
      WHERE project_key = $1 AND job_type = 'CLUSTERING' AND job_status = 'SUCCEED' AND job_key <> $2),
    (SELECT last_cluster_id FROM projects WHERE project_key = $1)) AS last_cluster_id`,
);

/** The highest that the project's other jobs ever used. Until the transaction ends, no other clustering succeeds. */
export async function lockLastClusterId(
  tx: Queryable,
  { project_key, job_key }: Pick<AttemptRow, 'project_key' | 'job_key'>,
): Promise<number> {
  await lockProject(tx, project_key);
  return findLastClusterId(tx, project_key, job_key);
}
