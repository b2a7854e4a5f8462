import type { Block } from '@tastegraph/algorithms';
import type { ObjectsSettings } from '../../../storage/objects/open.ts';
import type { Attempt } from '../../../storage/postgres/attempts.ts';
import type { BlockObject, Claimant, SharedStage } from '../../../storage/postgres/training-blocks.ts';

/** What a worker needs to compute a block; stored with it. */
export interface BlockTask {
  readonly block: Block;
  /** The bytes that all blocks of the stage read, and where they end in memory. */
  readonly shared: BlockObject;
  readonly sharedEnd: number;
  /** The bytes that only this block reads. */
  readonly input: BlockObject;
}

/** How a training shares its fit with other workers. Structured-cloneable. */
export interface SharingSettings extends Claimant {
  /** TRAINING_SHARED_FROM_EVENTS. */
  readonly fromEvents: number;
  readonly attempt: Attempt;
  readonly jobId: string;
}

/** Input of the thread that helps another worker's training. Structured-cloneable. */
export interface HelperTask extends Claimant {
  readonly databaseUrl: string;
  readonly objects: ObjectsSettings;
  readonly threads: number;
  readonly stage: SharedStage;
  /** The keys of the stage's objects begin with this. */
  readonly prefix: string;
  readonly shared: BlockObject;
  readonly sharedEnd: number;
  readonly end: number;
}

export interface HelperResult {
  readonly blocks: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** The keys of a stage's objects begin with this. They are next to the model that the attempt will write. */
export const stagePrefix = (jobId: string, { attempt, stage }: SharedStage) =>
  `models/${jobId}/${attempt}-${stage}-`;
