import { parentPort } from 'node:worker_threads';
import { kernels } from '../kernels.ts';
import type { Task } from './start.ts';

parentPort?.on('message', ({ kernel, input, count, block, next }: Task) => {
  // The name was checked when the task was created, and the input is of the kernel's type.
  const run = kernels.find(({ name }) => name === kernel)?.prepare(input as never);
  for (;;) {
    const from = Atomics.add(next, 0, block);
    if (from >= count) break;
    run?.(from, Math.min(from + block, count));
  }
  parentPort?.postMessage('done');
});
