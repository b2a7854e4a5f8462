import type { PairedLoss } from '@tastegraph/algorithms';
import type { ObjectsSettings } from '../../kernel/objects/open.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import type { ServedProject } from '../../serving/rows/serving-reads.ts';

export interface ModelPair {
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
}

/** Input of the thread. Structured-cloneable. */
export interface ComparisonTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly project: ServedProject;
  readonly deployed: ModelPair;
  readonly candidate: ModelPair;
  /** No model was trained on later events. */
  readonly sinceTs: number;
}

export interface Comparison extends PairedLoss {
  /** Later than that of the task if there are more events than are compared. */
  readonly sinceTs: number;
}
