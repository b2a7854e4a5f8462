import { parentPort, workerData } from 'node:worker_threads';
import type { JobProblem } from '../../storage/postgres/jobs.ts';
import { JobError } from '../job-error.ts';
import { isOutOfMemory } from './out-of-memory.ts';
import { type TroubleCode, troubleCode } from './trouble.ts';

/** What a thread says: how far it is, and last how it went. */
export type FromThread<Result> =
  | { readonly progress: { readonly stage: string; readonly fraction: number; readonly message: string } }
  | { readonly done: Result }
  | { readonly failed: JobProblem }
  | { readonly outOfMemory: true }
  | { readonly trouble: TroubleCode; readonly stack: string };

export interface ThreadTools {
  /** Aborted when the thread is told to stop. */
  readonly signal: AbortSignal;
  /** Throws when the thread was told to stop: work that reports need not look by itself. */
  readonly report: (stage: string, fraction: number, message: string) => void;
}

/**
 * The work of a thread that `runThread` started: it ends with the one message that says how it went. Which orders it takes is
 * agreed on by who starts it, in their protocol.ts: what passes from thread to thread has no type.
 */
export async function doThreadWork<Result>(
  work: (order: never, tools: ThreadTools) => Promise<Result>,
): Promise<void> {
  const end = new AbortController();
  // Whatever we are told is: stop.
  parentPort?.on('message', () => end.abort(new Error('the work was ended')));
  const say = (message: FromThread<Result>) => parentPort?.postMessage(message);
  const report: ThreadTools['report'] = (stage, fraction, message) => {
    end.signal.throwIfAborted();
    say({ progress: { stage, fraction, message } });
  };
  try {
    say({ done: await work(workerData as never, { signal: end.signal, report }) });
  } catch (error) {
    if (isOutOfMemory(error)) say({ outOfMemory: true });
    else if (error instanceof JobError) say({ failed: { code: error.code, message: error.message } });
    else say({ trouble: troubleCode(error), stack: String((error as Error).stack) });
  }
  // Nothing else keeps the thread: what it opened is closed.
  parentPort?.close();
}
