import { repeat } from '../../../src/kernel/lib/repeat.ts';
import type { TaskStep } from '../../../src/module.ts';

/** Repeats the step of a task as a worker does, until `stopping`. */
export const runStep = (step: TaskStep, stopping: AbortSignal): Promise<void> =>
  repeat({ pauseMs: 100, stopping, onError: () => undefined }, step);
