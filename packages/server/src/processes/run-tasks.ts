import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../kernel/lib/repeat.ts';
import { removeOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import { sweepObjects } from '../kernel/objects/sweep-objects.ts';
import type { ContinuousTask, PeriodicTask } from '../module.ts';
import type { Services } from '../services.ts';
import { modules } from './modules.ts';

/** Workers that start together look at different moments. */
const maxStartMs = 1000;

const objectTasks: readonly PeriodicTask[] = [
  // How soon an idle worker notices an orphaned object.
  { name: 'remove orphaned objects', pauseMs: 2000, open: async () => removeOrphanedObjects },
  // How soon a worker notices that a round is due.
  { name: 'sweep the object store', pauseMs: 60_000, open: async () => sweepObjects },
];

/** Imports the tasks of all modules. What it returns runs them until the process stops: each ends after its current step. */
export async function openTasks(services: Services): Promise<() => Promise<unknown>> {
  const tasks = [...objectTasks, ...modules.flatMap(({ tasks: own = [] }) => own)];
  const runs = await Promise.all(tasks.map((task) => openTask(task, services)));
  return () => Promise.all(runs.map((run) => run()));
}

async function openTask(
  task: PeriodicTask | ContinuousTask,
  services: Services,
): Promise<() => Promise<void>> {
  if ('run' in task) {
    const run = await task.run();
    return () => run(services);
  }
  const { log, stopping } = services;
  const { name, pauseMs } = task;
  const step = (await task.open())(services);
  const onError = (error: unknown) => log.warn({ err: error }, `failed to ${name}; will retry`);
  return async () => {
    const startMs = Math.random() * Math.min(pauseMs, maxStartMs);
    await sleep(startMs, undefined, { signal: stopping }).catch(() => undefined);
    await repeat({ pauseMs, stopping, onError }, step);
  };
}
