import type { ObjectsSettings } from '../../storage/objects/open.ts';
import type { StoredObject } from '../../storage/objects/store.ts';
import type { ModelTraining } from '../../storage/postgres/models.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import type { AlgorithmParameters } from './parameters.ts';

/** What the thread that trains is given: all of it can be copied from one thread to another. */
export interface TrainingOrder {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly threads: number;
  readonly source: TrainingSource;
  readonly parameters: AlgorithmParameters;
  /** Where the model's file goes. */
  readonly objectKey: string;
}

/** What it comes to: the file is written, whole. */
export interface Trained {
  readonly object: StoredObject;
  readonly training: ModelTraining;
}
