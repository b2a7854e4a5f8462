import type { AttributeCode } from '@tastegraph/algorithms';
import type { AlgorithmType } from '@tastegraph/contract';
import type { ObjectsSettings } from '../kernel/objects/open.ts';
import type { StoredObject } from '../kernel/objects/store.ts';
import type { ModelSnapshot, ModelTraining } from '../projects/rows/models.ts';
import type { ReadTimes, TrainingSource, UserRange } from './rows/training-rows.ts';

/** Input of the training thread. Structured-cloneable. */
export interface TrainingTask {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly threads: number;
  /** The maximum number of connections that read events. */
  readonly readers: number;
  /** How much of its work a kernel has in memory at a time. */
  readonly windowBytes: number;
  readonly source: TrainingSource;
  readonly algorithm: AlgorithmType;
  readonly parameters: object;
  /** What to do if the data does not fit into memory, for the developer. */
  readonly memoryAdvice: string;
  /** Events after this time are not read. */
  readonly untilTs?: number | undefined;
  /** Keys of the model's file and of the snapshot. */
  readonly objectKey: string;
  readonly snapshotKey: string;
}

/** Input of a thread that reads the events of some users. Structured-cloneable. */
export interface RangeTask {
  readonly databaseUrl: string;
  /** As exported by the training's connection. */
  readonly snapshot: string;
  readonly source: TrainingSource;
  readonly range: UserRange;
  /** How many events to expect. */
  readonly eventCount: number;
  /** Types that get a number before others. */
  readonly namedTypes: readonly string[];
  readonly codes: readonly AttributeCode[];
  /** Keeps the time of each event. */
  readonly hasTimes: boolean;
  readonly times: ReadTimes;
}

/** Result of a training, after both files are written. */
export interface TrainingResult {
  readonly object: StoredObject;
  readonly snapshot: ModelSnapshot;
  readonly training: ModelTraining;
}
