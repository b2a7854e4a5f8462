import type { JobData } from '@tastegraph/contract';
import type { DatasetRow } from '../datasets/rows/datasets.ts';
import type { Attempt } from '../jobs/rows/attempts.ts';
import type { ResultFile } from '../jobs/rows/jobs.ts';
import type { ObjectsSettings } from '../kernel/objects/open.ts';

export type ExportFormat = JobData<'EXPORT'>['format'];

export type ExportedDataset = Pick<
  DatasetRow,
  'dataset_key' | 'kind' | 'partition' | 'attribute_schema' | 'record_count'
>;

/** Input of the export thread. Structured-cloneable. */
export interface ExportTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly attempt: Attempt;
  readonly dataset: ExportedDataset;
  readonly format: ExportFormat;
  readonly sinceTs: number;
  /** The folder of the files in the object store. */
  readonly folder: string;
  /** The name of the downloaded files, without number and extension. */
  readonly fileName: string;
}

/** Result of an export, after all files are written. */
export interface ExportResult {
  readonly files: readonly ResultFile[];
  readonly recordCount: number;
}
