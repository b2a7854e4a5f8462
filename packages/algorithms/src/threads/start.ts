import { Worker } from 'node:worker_threads';
import { kernels } from '../kernels.ts';
import type { Executor } from '../parallel.ts';

/** What a thread is told: run this kernel, taking blocks from `next` until there are none. */
export interface Task {
  readonly kernel: string;
  readonly input: object;
  readonly count: number;
  readonly block: number;
  /** The first element that nobody has taken yet. */
  readonly next: Int32Array;
}

/** Enough blocks that threads end together though some elements cost a thousand times others. */
const blocksPerThread = 256;

export interface Threads extends Executor {
  /** Ends the threads, and with an error whatever they were at. Resolves when none is alive. */
  close(): Promise<void>;
}

/**
 * Runs kernels on so many threads over the same memory, one kernel at a time. What they write does not depend on how
 * many there are. A thread that throws or ends takes the others with it: the run under way is rejected with its error
 * once none can write any more, and so are later ones, since what they share may be half written.
 */
export function startThreads(count: number, script: URL = new URL('./worker.ts', import.meta.url)): Threads {
  const workers = Array.from({ length: count }, () => new Worker(script));
  let failure: Error | undefined;
  let ended: Promise<void> | undefined;
  let settle: (() => void) | undefined;
  let busy = 0;
  const end = (error: Error) => {
    failure ??= error;
    ended ??= Promise.all(workers.map((worker) => worker.terminate())).then(() => settle?.());
    return ended;
  };
  for (const worker of workers) {
    worker.on('message', () => {
      if (--busy === 0) settle?.();
    });
    worker.on('error', (error) => void end(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => void end(new Error(`A thread ended by itself, with code ${code}`)));
  }

  const start = async (task: Task): Promise<void> => {
    if (!failure)
      await new Promise<void>((resolve) => {
        settle = resolve;
        busy = workers.length;
        for (const worker of workers) worker.postMessage(task);
      });
    if (failure) throw failure;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (kernel, input, elements) => {
      if (!kernels.some(({ name }) => name === kernel.name))
        return Promise.reject(new Error(`No kernel is called ${kernel.name}`));
      const block = Math.max(1, Math.ceil(elements / (count * blocksPerThread)));
      const next = new Int32Array(new SharedArrayBuffer(4));
      const run = last.then(() => start({ kernel: kernel.name, input, count: elements, block, next }));
      last = run.catch(() => undefined);
      return run;
    },
    close: () => end(new Error('The threads were closed')),
  };
}
