import type { JobData } from '@tastegraph/contract';
import type { JobRowOf } from '../jobs/rows/jobs.ts';
import { fileTypes } from '../kernel/files/table.ts';
import type { ObjectsSettings } from '../kernel/objects/open.ts';
import type { StoredObject } from '../kernel/objects/store.ts';
import type { ModelFiles, ModelSnapshot } from '../projects/rows/models.ts';
import type { PreviousClustering } from './rows.ts';

type TableFormat = NonNullable<JobData<'CLUSTERING'>['table_format']>;

/** A file that an analysis will write. */
export interface PlannedFile {
  /** Last part of the object key. */
  readonly object_name: string;
  /** File name of the download. */
  readonly file_name: string;
  readonly content_type: string;
}

export interface ModelToAnalyse extends Omit<ModelFiles, 'snapshot'> {
  readonly snapshot: ModelSnapshot;
}

/** Input of an analysis thread. Structured-cloneable. */
export interface AnalysisTask {
  readonly objects: ObjectsSettings;
  readonly model: ModelToAnalyse;
  /** Keys of the files. */
  readonly keys: readonly string[];
  /** `ClusteringRequest` or `Queries`. */
  readonly request: object;
}

/** Result of an analysis, after all files are written. */
export interface AnalysisResult<Found> {
  readonly stored: readonly StoredObject[];
  readonly found: Found;
}

/** What a clustering's thread is asked. */
export interface ClusteringRequest
  extends Pick<JobRowOf<'CLUSTERING'>['job_data'], 'parameters' | 'table_format'> {
  readonly previous: PreviousClustering;
}

/** The result of a clustering's thread, besides the files. */
export interface ClusteringResult {
  readonly message: string | null;
  readonly lastClusterId: number;
}

/** What a query's thread is asked. */
export type Queries = JobRowOf<'QUERYING'>['job_data'] & { readonly defaultBins: number };
export type UserLists = Extract<Queries, { query_type: 'user_list' }>;
export type Distributions = Extract<Queries, { query_type: 'user_distribution' }>;

/** The result of a query's thread, besides the files. */
export interface QueryingResult {
  readonly message: string | null;
}

/** The table that a job writes last, if it was asked for one. */
export function planTable(name: string, format: TableFormat | undefined): PlannedFile[] {
  if (format === undefined) return [];
  const { extension, contentType } = fileTypes[format];
  return [
    { object_name: `table.${extension}`, file_name: `${name}.${extension}`, content_type: contentType },
  ];
}
