import { parentPort } from 'node:worker_threads';
import { kernels } from '../../registry.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { Task } from './start.ts';

function work({ kernel, input, count, block, next }: Task): void {
  // The name was checked when the task was created, and the input is of the kernel's type.
  const run = kernels.find(({ name }) => name === kernel)?.prepare(input as never);
  for (;;) {
    const from = Atomics.add(next, 0, block);
    if (from >= count) break;
    run?.(from, Math.min(from + block, count));
  }
}

async function handle(task: Task | 'release'): Promise<void> {
  if (task === 'release') await collectGarbage();
  else work(task);
  parentPort?.postMessage('done');
}

// If it fails, the thread ends with the error.
parentPort?.on('message', (task: Task | 'release') => void handle(task));
