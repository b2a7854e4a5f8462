import type { JobRowOf } from '../../jobs/rows/jobs.ts';
import type { TableFormat } from '../plan-table.ts';
import type { PreviousClustering } from '../rows.ts';

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
