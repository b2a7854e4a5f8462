import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../kernel/lib/repeat.ts';
import { removeOrphanedObjects } from '../kernel/objects/remove-orphaned-objects.ts';
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

/** Runs the tasks of all modules until the process stops. Each ends after its current step. */
export async function runTasks(services: Services): Promise<void> {
  const tasks = [...objectTasks, ...modules.flatMap(({ tasks: own = [] }) => own)];
  await Promise.all(tasks.map((task) => runTask(task, services)));
}

async function runTask(task: PeriodicTask | ContinuousTask, services: Services): Promise<void> {
  if ('run' in task) return (await task.run())(services);
  const { log, stopping } = services;
  const { name, pauseMs } = task;
  const step = (await task.open())(services);
  await sleep(Math.random() * Math.min(pauseMs, maxStartMs), undefined, { signal: stopping }).catch(
    () => undefined,
  );
  const onError = (error: unknown) => log.warn({ err: error }, `failed to ${name}; will retry`);
  await repeat({ pauseMs, stopping, onError }, step);
}
