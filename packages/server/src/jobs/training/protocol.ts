import type { ObjectsSettings } from '../../storage/objects/open.ts';
import type { StoredObject } from '../../storage/objects/store.ts';
import type { ModelSnapshot, ModelTraining } from '../../storage/postgres/models.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import type { AlgorithmParameters } from './parameters.ts';

/** What the thread that trains is given: all of it can be copied from one thread to another. */
export interface TrainingOrder {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly threads: number;
  readonly source: TrainingSource;
  readonly parameters: AlgorithmParameters;
  /** Where the model's file goes, and the snapshot's. */
  readonly objectKey: string;
  readonly snapshotKey: string;
}

/** What it comes to: the files are written, whole. */
export interface Trained {
  readonly object: StoredObject;
  readonly snapshot: ModelSnapshot;
  readonly training: ModelTraining;
}
