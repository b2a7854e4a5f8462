import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../kernel/lib/lower-priority.ts';
import type { JobProblem } from '../rows/jobs.ts';
import { isOutOfMemory, JobError, type TransientErrorCode, transientErrorCode } from './job-error.ts';

/** Messages from a thread or a child process: progress, and finally the outcome. */
export type FromThread<Result> =
  | { readonly progress: { readonly stage: string; readonly fraction: number; readonly message: string } }
  | { readonly done: Result }
  | { readonly failed: JobProblem }
  | { readonly outOfMemory: true }
  | { readonly transient: TransientErrorCode; readonly stack: string };

export interface ThreadContext {
  /** Aborted when the thread must stop. */
  readonly signal: AbortSignal;
  /** Throws if the thread must stop, so that work that reports need not check the signal. */
  readonly report: (stage: string, fraction: number, message: string) => void;
}

/** Below the threads that check bodies, which callers wait for. */
export const niceness = 10;

/**
 * Runs the work of a thread started with `runThread`, and ends with one message about the outcome. The type of the task
 * is agreed between both sides in their protocol.ts, since messages between threads are untyped.
 */
export async function runThreadWork<Result>(
  work: (task: never, context: ThreadContext) => Promise<Result>,
): Promise<void> {
  lowerPriority(niceness);
  const end = new AbortController();
  // Any message means: stop.
  parentPort?.on('message', () => end.abort(new Error('the work was stopped')));
  const post = (message: FromThread<Result>) => parentPort?.postMessage(message);
  post(await outcomeOf(work, workerData, end.signal, post));
  // Nothing else keeps the thread alive.
  parentPort?.close();
}

/** Never throws: the last message of a thread or a child process. */
export async function outcomeOf<Result>(
  work: (task: never, context: ThreadContext) => Promise<Result>,
  task: unknown,
  signal: AbortSignal,
  post: (message: FromThread<Result>) => void,
): Promise<FromThread<Result>> {
  const report: ThreadContext['report'] = (stage, fraction, message) => {
    signal.throwIfAborted();
    post({ progress: { stage, fraction, message } });
  };
  try {
    return { done: await work(task as never, { signal, report }) };
  } catch (error) {
    if (isOutOfMemory(error)) return { outOfMemory: true };
    if (error instanceof JobError) return { failed: { code: error.code, message: error.message } };
    return { transient: transientErrorCode(error), stack: String((error as Error).stack) };
  }
}
