import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './lower-priority.ts';
import type { TaskEnd, ThreadTask } from './thread-pool.ts';

// Between calls, which it must not delay, and jobs.
lowerPriority(5);

async function run(module: string, input: unknown): Promise<void> {
  const post = (end: TaskEnd, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(end, transfer);
  try {
    const { default: task } = (await import(module)) as { default: ThreadTask<unknown, unknown> };
    const { result, transfer } = await task(input);
    post({ result }, transfer);
  } catch (error) {
    post({ error });
  }
}

parentPort?.on('message', ({ module, input }: { module: string; input: unknown }) => void run(module, input));
