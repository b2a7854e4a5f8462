import type { AlgorithmType } from '@tastegraph/contract';
import type { ObjectsSettings } from '../../storage/objects/open.ts';
import type { StoredObject } from '../../storage/objects/store.ts';
import type { ModelSnapshot, ModelTraining } from '../../storage/postgres/models.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';

/** Input of the training thread. Structured-cloneable. */
export interface TrainingTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly threads: number;
  readonly source: TrainingSource;
  readonly algorithm: AlgorithmType;
  readonly parameters: object;
  /** Events after this time are not read. */
  readonly untilTs?: number | undefined;
  /** Keys of the model's file and of the snapshot. */
  readonly objectKey: string;
  readonly snapshotKey: string;
}

/** Result of a training, after both files are written. */
export interface TrainingResult {
  readonly object: StoredObject;
  readonly snapshot: ModelSnapshot;
  readonly training: ModelTraining;
}
