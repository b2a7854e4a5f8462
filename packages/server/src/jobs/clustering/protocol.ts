import type { PreviousClustering } from '../../storage/postgres/clusterings.ts';
import type { JobRowOf } from '../../storage/postgres/jobs.ts';

/** What the thread is asked. */
export interface ClusteringQuestion {
  readonly parameters: JobRowOf<'CLUSTERING'>['job_data']['parameters'];
  readonly previous: PreviousClustering;
}

/** What it says beside the files. */
export interface Clustered {
  readonly message: string | null;
  readonly lastClusterId: number;
}
