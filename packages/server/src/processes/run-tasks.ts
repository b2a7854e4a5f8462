import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../kernel/lib/repeat.ts';
import type { ContinuousTask, PeriodicTask } from '../module.ts';
import type { Services } from '../services.ts';
import { modules } from './modules.ts';

/** Workers that start together look at different moments. */
const maxStartMs = 1000;

/** Imports the tasks of all modules. What it returns runs them until the process stops: each ends after its current step. */
export async function openTasks(services: Services): Promise<() => Promise<unknown>> {
  const tasks = modules.flatMap(({ tasks: own = [] }) => own);
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
