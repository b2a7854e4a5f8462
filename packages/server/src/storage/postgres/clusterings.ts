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
