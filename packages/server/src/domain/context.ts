import type { Database } from '../storage/postgres/pool.ts';
import type { JobQueue } from '../storage/postgres/queue.ts';

/** Who calls, and what a use case works with. Everything it reads or writes is of `accountId`. */
export interface Context {
  readonly accountId: string;
  readonly db: Database;
  readonly queue: JobQueue;
  /** Aborted when the process is told to stop: long work ends at its next step. */
  readonly stopping: AbortSignal;
}
