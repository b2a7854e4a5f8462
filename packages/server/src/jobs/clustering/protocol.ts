import type { PreviousClustering } from '../../storage/postgres/clusterings.ts';
import type { JobRowOf } from '../../storage/postgres/jobs.ts';

/** The thread's request. */
export interface ClusteringRequest {
  readonly parameters: JobRowOf<'CLUSTERING'>['job_data']['parameters'];
  readonly previous: PreviousClustering;
}

/** The thread's result, besides the files. */
export interface ClusteringResult {
  readonly message: string | null;
  readonly lastClusterId: number;
}
