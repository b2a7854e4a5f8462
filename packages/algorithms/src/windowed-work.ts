import { placeScratch, type Scratch } from './kernel-memory.ts';
import type { Executor, WindowedWork } from './parallel.ts';

/** Computes all windows: one after the other, or as the executor shares them with other processes. */
export async function runWindows<Input extends Scratch>(
  work: WindowedWork<Input>,
  executor: Executor,
): Promise<void> {
  if (executor.sharing) return executor.sharing.run(work);
  for (let window = 0; window < work.windows; window++) await runWindow(work, window, executor);
}

/** Computes one window here. */
export async function runWindow<Input extends Scratch>(
  work: WindowedWork<Input>,
  window: number,
  executor: Executor,
): Promise<void> {
  const { kernel, memory, end } = work;
  const { input, count, writes } = await work.place(window);
  for (const view of writes) view.fill(0);
  memory.end = end;
  // A spread of generic types is not known to be the whole.
  await executor.run(kernel, { ...input, ...placeScratch(memory) } as unknown as Input, count);
  await work.take(window);
}
