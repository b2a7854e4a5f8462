import { Worker } from 'node:worker_threads';
import { isOutOfMemory, JobError, TransientJobError } from './job-error.ts';
import type { AttemptContext } from './run-jobs.ts';
import type { FromThread } from './thread-work.ts';

/** A thread that has not stopped by then is in a long calculation, and is terminated. */
const graceMs = 2000;
/** Longer than the longest step without a message on the largest data; a thread silent for this long hangs. */
const maxSilenceMs = 30 * 60_000;

interface ThreadOptions {
  /** The thread's module, which calls `runThreadWork`. */
  readonly script: URL;
  /** What to do if the data does not fit into memory, for the developer. */
  readonly memoryAdvice: string;
}

/** The task must be structured-cloneable. Settles only after the thread has ended, so that none of its work goes on. */
export async function runThread<Result>(
  { script, memoryAdvice }: ThreadOptions,
  task: object,
  { signal, report }: AttemptContext,
): Promise<Result> {
  const thread = new Worker(script, { workerData: task });
  let outcome: FromThread<Result> | undefined;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const terminateAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void thread.terminate(), ms);
  };
  const stop = () => {
    thread.postMessage('stop');
    terminateAfter(graceMs);
  };
  thread.on('message', (message: FromThread<Result>) => {
    if (!('progress' in message)) outcome = message;
    else if (!signal.aborted) {
      terminateAfter(maxSilenceMs);
      report(message.progress.stage, message.progress.fraction, message.progress.message);
    }
  });
  thread.on('error', (error) => {
    failure = error as Error;
  });
  terminateAfter(maxSilenceMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    // Not `once(thread, …)`, which would reject on 'error' before the thread has ended.
    await new Promise((resolve) => thread.once('exit', resolve));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (isOutOfMemory(failure) || (outcome && 'outOfMemory' in outcome))
    throw new JobError('OUT_OF_MEMORY', memoryAdvice);
  if (failure) throw failure;
  if (outcome && 'done' in outcome) return outcome.done;
  if (outcome && 'failed' in outcome) throw new JobError(outcome.failed.code, outcome.failed.message);
  if (outcome && 'transient' in outcome)
    throw new TransientJobError(outcome.transient, new Error(outcome.stack));
  throw new Error('the thread sent no message for half an hour');
}
