import type { JobType, SubmitRequest } from '@tastegraph/contract';
import type { Context } from '../../http/context.ts';
import type { Hooks } from '../../http/hooks.ts';
import type { ObjectsSettings } from '../../kernel/objects/open.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { ChildLimits } from './run-child.ts';
import type { Work } from './run-jobs.ts';

/** IMPORT_CONCURRENCY, IMPORT_MEMORY_MB, IMPORT_CPU_SECONDS and IMPORT_MAX_GB. */
export interface ImportLimits extends ChildLimits {
  readonly concurrency: number;
  readonly maxBytes: number;
}

/** What a worker offers to the jobs it runs. */
export interface WorkerServices {
  readonly db: Database;
  readonly hooks: Hooks;
  /** For a thread that opens its own connection. */
  readonly databaseUrl: string;
  readonly store: ObjectStore;
  /** For a thread that opens the store itself. */
  readonly objects: ObjectsSettings;
  /** JOB_CONCURRENCY. */
  readonly maxTrainings: number;
  /** TRAINING_THREADS. */
  readonly threads: number;
  /** TRAINING_READERS. */
  readonly readers: number;
  /** TRAINING_WINDOW_MB, in bytes. */
  readonly windowBytes: number;
  /** RECOMMENDING_FILE_USERS. */
  readonly recommendingFileUsers: number;
  readonly imports: ImportLimits;
}

/** A job type on the server. The fields on the wire are in `contract/src/concepts/`. */
export interface JobDefinition<Type extends JobType> {
  /** The `submit…Job` operation: checks the request and calls `submitJob` in the same transaction. */
  readonly submit: (ctx: Context, request: SubmitRequest<Type>) => Promise<{ job_id: string }>;
  /** Runs one attempt. Its outcome says what is published in the transaction in which the job succeeds. */
  readonly work: (worker: WorkerServices) => Work<Type>;
  /** How many jobs of this type one worker runs at once. */
  readonly concurrency: (worker: WorkerServices) => number;
  /** How many of them may be of one account. Absent: all. */
  readonly maxPerAccount?: (worker: WorkerServices) => number;
  /**
   * True if the result's files that are JSON name users only in `user_id` fields. An erasure searches such files; a result
   * with other files, except for charts, is removed when any user of the account is erased.
   */
  readonly hasUserIdFields?: boolean;
}
