import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Executor } from '@tastegraph/algorithms';
import { kernels } from '@tastegraph/algorithms';

/** What a worker is told: run this kernel, taking blocks from `next` until there are none. */
export interface Task {
  readonly kernel: string;
  readonly input: object;
  readonly count: number;
  readonly block: number;
  /** The first element that nobody has taken yet. */
  readonly next: Int32Array;
}

/** Enough blocks that threads end together though some elements cost a hundred times others. */
const blocksPerThread = 64;

export interface Threads extends Executor {
  close(): Promise<void>;
}

/** Runs kernels on so many threads over the same memory. What they write does not depend on how many there are. */
export function startThreads(count: number): Threads {
  const workers = Array.from({ length: count }, () => new Worker(new URL('./worker.ts', import.meta.url)));
  return {
    run: async (kernel, input, elements) => {
      if (!kernels.some(({ name }) => name === kernel.name))
        throw new Error(`No kernel is called ${kernel.name}`);
      const block = Math.max(1, Math.ceil(elements / (count * blocksPerThread)));
      const next = new Int32Array(new SharedArrayBuffer(4));
      const task: Task = { kernel: kernel.name, input, count: elements, block, next };
      await Promise.all(
        workers.map(async (worker) => {
          worker.postMessage(task);
          // Rejects on 'error', which a thread that throws emits before it ends.
          await once(worker, 'message');
        }),
      );
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
