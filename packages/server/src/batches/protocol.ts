import type { JobData } from '@tastegraph/contract';
import type { DatasetRow } from '../datasets/rows/datasets.ts';
import type { Attempt } from '../jobs/rows/attempts.ts';
import type { ObjectsSettings } from '../kernel/objects/open.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';

/** Input of the thread. Structured-cloneable. */
export interface RecommendingTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  /** Users per file. */
  readonly fileUsers: number;
  readonly attempt: Attempt;
  readonly project: ServedProject;
  readonly models: { readonly generator: DeployedModel; readonly ranker: DeployedModel | null };
  readonly request: JobData<'RECOMMENDING'>;
  /** The attribute schema of the item dataset. */
  readonly attributeSchema: DatasetRow['attribute_schema'];
  /** The folder of this attempt's files in the object store. */
  readonly folder: string;
  /** What earlier attempts have written. */
  readonly written: {
    readonly parts: number;
    readonly users: number;
    readonly lastUserId: string;
  };
  /** An estimate, for the progress. */
  readonly expectedUsers: number;
}

/** What the files say about one user. */
export interface UserAnswer {
  readonly user_id: string;
  readonly results: readonly { readonly item: Readonly<Record<string, unknown>> }[];
  readonly shortfall: string | null;
}
