import { Worker } from 'node:worker_threads';
import { kernels } from '../../registry.ts';
import type { Executor } from '../parallel.ts';
import { collectGarbage } from './collect-garbage.ts';

/** A task for a thread: run this kernel on blocks taken from `next` until none are left. */
export interface Task {
  readonly kernel: string;
  readonly input: object;
  readonly count: number;
  readonly block: number;
  /** The first element that no thread has taken yet. */
  readonly next: Int32Array;
}

/** Enough blocks for threads to finish together, even if some elements cost a thousand times as much as others. */
const blocksPerThread = 256;

export interface Threads extends Executor {
  release(): Promise<void>;
  /** Stops the threads; a run in progress is rejected with an error. Resolves when all have exited. */
  close(): Promise<void>;
}

/**
 * Runs kernels on `count` threads over shared memory, one kernel at a time. The result does not depend on the number of
 * threads. If a thread throws or exits, the others are stopped: the current run is rejected with its error once no
 * thread can write any more. Later runs are rejected too, since the shared memory may be half written.
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

  const start = async (task: Task | 'release'): Promise<void> => {
    if (!failure)
      await new Promise<void>((resolve) => {
        settle = resolve;
        busy = workers.length;
        for (const worker of workers) worker.postMessage(task);
      });
    if (failure) throw failure;
  };
  let last: Promise<unknown> = Promise.resolve();
  const enqueue = (task: Task | 'release') => {
    const run = last.then(() => start(task));
    last = run.catch(() => undefined);
    return run;
  };
  return {
    run: (kernel, input, elements) => {
      if (!kernels.some(({ name }) => name === kernel.name))
        return Promise.reject(new Error(`No kernel is called ${kernel.name}`));
      const block = Math.max(1, Math.ceil(elements / (count * blocksPerThread)));
      const next = new Int32Array(new SharedArrayBuffer(4));
      return enqueue({ kernel: kernel.name, input, count: elements, block, next });
    },
    release: async () => {
      await enqueue('release');
      await collectGarbage();
    },
    close: () => end(new Error('The threads were closed')),
  };
}
