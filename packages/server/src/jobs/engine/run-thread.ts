import { Worker } from 'node:worker_threads';
import { JobError } from '../job-error.ts';
import { isOutOfMemory } from './out-of-memory.ts';
import type { Tools } from './run-jobs.ts';
import type { FromThread } from './thread-work.ts';
import { Trouble } from './trouble.ts';

/** A thread that was told to stop and has not by then is ended: it is in a long calculation. */
const graceMs = 2000;
/** Longer than the longest step that says nothing on the largest data; a thread silent for so long hangs. */
const silentMs = 30 * 60_000;

interface ThreadOptions {
  /** What runs in it: a module that calls `doThreadWork`. */
  readonly script: URL;
  /** For the developer whose data did not fit: what to do next. */
  readonly memoryAdvice: string;
}

/**
 * What the thread's work comes to, of an order that can be copied from one thread to another. Resolves or rejects when the
 * thread has ended: nothing of it goes on.
 */
export async function runThread<Result>(
  { script, memoryAdvice }: ThreadOptions,
  order: object,
  { signal, report }: Tools,
): Promise<Result> {
  const thread = new Worker(script, { workerData: order });
  let answer: FromThread<Result> | undefined;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stopWithin = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void thread.terminate(), ms);
  };
  const stop = () => {
    thread.postMessage('stop');
    stopWithin(graceMs);
  };
  thread.on('message', (message: FromThread<Result>) => {
    if (!('progress' in message)) answer = message;
    else if (!signal.aborted) {
      stopWithin(silentMs);
      report(message.progress.stage, message.progress.fraction, message.progress.message);
    }
  });
  thread.on('error', (error) => {
    failure = error as Error;
  });
  stopWithin(silentMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    // Not `once(thread, …)`: that would reject on 'error', before the thread has ended.
    await new Promise((resolve) => thread.once('exit', resolve));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (isOutOfMemory(failure) || (answer && 'outOfMemory' in answer))
    throw new JobError('OUT_OF_MEMORY', memoryAdvice);
  if (failure) throw failure;
  if (answer && 'done' in answer) return answer.done;
  if (answer && 'failed' in answer) throw new JobError(answer.failed.code, answer.failed.message);
  if (answer && 'trouble' in answer) throw new Trouble(answer.trouble, new Error(answer.stack));
  throw new Error('the thread said nothing for half an hour');
}
