import type { PreviousClustering } from '../../storage/postgres/clusterings.ts';
import type { JobRowOf } from '../../storage/postgres/jobs.ts';
import type { TableFormat } from '../analysis/plan-table.ts';

/** The thread's request. */
export interface ClusteringRequest {
  readonly parameters: JobRowOf<'CLUSTERING'>['job_data']['parameters'];
  readonly previous: PreviousClustering;
  readonly table_format: TableFormat | undefined;
}

/** The thread's result, besides the files. */
export interface ClusteringResult {
  readonly message: string | null;
  readonly lastClusterId: number;
}
