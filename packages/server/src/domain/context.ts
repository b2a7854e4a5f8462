import type { Database } from '../storage/postgres/pool.ts';
import type { JobQueue } from '../storage/postgres/queue.ts';
import type { PageTokens } from './page-tokens.ts';

/** The caller and the dependencies of a use case. A use case reads and writes only data of `accountId`. */
export interface Context {
  readonly accountId: string;
  /** The same in the response and in the log. */
  readonly requestId: string;
  /** The API key, or the ID of the person who is signed in. */
  readonly callerId: string;
  /** Whether the caller may call an operation, by its path. Nobody can give a key more than they have. */
  readonly mayCall: (path: string) => boolean;
  readonly db: Database;
  readonly queue: JobQueue;
  readonly pageTokens: PageTokens;
  /** Aborted when the process is stopping. Long work ends at its next step. */
  readonly stopping: AbortSignal;
}
