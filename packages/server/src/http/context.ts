import type { Database } from '../kernel/postgres/pool.ts';
import type { JobQueue } from '../kernel/postgres/queue.ts';
import type { Hooks } from './hooks.ts';
import type { PageTokens } from './page-tokens.ts';
import type { WriteScope } from './write-scope.ts';

export interface WrittenEvent {
  readonly ts: number;
  readonly event_type: string;
}

/** Counts events that were written and committed. */
export interface WrittenEvents {
  eventsWritten(datasetKey: number, events: Iterable<WrittenEvent>): void;
}

/** What is learned about a call while it is handled, for the statistics of its project. */
export interface CallFacts {
  projectId: string | undefined;
  isDegraded: boolean;
}

/** The caller and the dependencies of a use case. A use case reads and writes only data of `accountId`. */
export interface Context {
  readonly accountId: string;
  /** The same in the response and in the log. */
  readonly requestId: string;
  /** The API key, or the ID of the person who is signed in. */
  readonly callerId: string;
  /** Whether the caller may call an operation, by its path. Nobody can give a key more than they have. */
  readonly mayCall: (path: string) => boolean;
  /** What a call with a write key may write. Absent for all other calls. */
  readonly writeScope?: WriteScope;
  readonly db: Database;
  readonly queue: JobQueue;
  readonly pageTokens: PageTokens;
  readonly usage: WrittenEvents;
  readonly hooks: Hooks;
  readonly facts: CallFacts;
  /** Aborted when the process is stopping. Long work ends at its next step. */
  readonly stopping: AbortSignal;
}
