import { setTimeout as sleep } from 'node:timers/promises';
import { startHeartbeat } from '../jobs/engine/heartbeat.ts';
import type { WorkerServices } from '../jobs/engine/job-definition.ts';
import { runJobs } from '../jobs/engine/run-jobs.ts';
import { deleteWorkers } from '../jobs/rows/attempts.ts';
import { repeat } from '../kernel/lib/repeat.ts';
import type { ContinuousTask, PeriodicTask } from '../module.ts';
import { jobDefinition, jobTypes, modules } from './modules.ts';
import type { Runtime } from './run.ts';

export async function startWorker(runtime: Runtime): Promise<void> {
  const { processId: workerId, log, metrics, db, queue, store, objects, hooks, closers, stopping } = runtime;
  const { databaseUrl, jobs } = runtime.config;
  const heartbeat = startHeartbeat(
    { databaseUrl, workerId, everyMs: jobs.heartbeatSeconds * 1000, hungMs: jobs.hungSeconds * 1000 },
    log,
  );
  closers.add('heartbeat', 5000, async () => {
    await heartbeat[Symbol.asyncDispose]();
    await deleteWorkers(db, workerId);
  });

  const { concurrency: maxTrainings } = jobs;
  const context = { ...jobs, db, queue, hooks, heartbeat, log, metrics, stopping };
  const worker: WorkerServices = { ...jobs, db, hooks, databaseUrl, store, objects, maxTrainings };
  const definitions = await Promise.all(
    jobTypes.map(async (type) => ({ type, definition: await jobDefinition(type) })),
  );
  const runTasks = await openTasks(runtime);
  const work = Promise.all([
    runTasks(),
    ...definitions.map(({ type, definition: { work, concurrency, maxPerAccount } }) =>
      runJobs(context, type, work(worker), {
        concurrency: concurrency(worker),
        maxPerAccount: maxPerAccount?.(worker),
      }),
    ),
  ]);
  // When `stopping` is aborted, each ends after its current step, and running jobs are requeued.
  closers.add('jobs', 30_000, () => work);
  log.info({ worker_id: workerId }, 'the worker is running');
}

/** Workers that start together look at different moments. */
const maxStartMs = 1000;

/** Imports the tasks of all modules. What it returns runs them until the process stops: each ends after its current step. */
async function openTasks(runtime: Runtime): Promise<() => Promise<unknown>> {
  const tasks = modules.flatMap(({ tasks: own = [] }) => own);
  const runs = await Promise.all(tasks.map((task) => openTask(task, runtime)));
  return () => Promise.all(runs.map((run) => run()));
}

async function openTask(task: PeriodicTask | ContinuousTask, runtime: Runtime): Promise<() => Promise<void>> {
  if ('run' in task) {
    const run = await task.run();
    return () => run(runtime);
  }
  const { log, stopping } = runtime;
  const { name, pauseMs } = task;
  const step = (await task.open())(runtime);
  const onError = (error: unknown) => log.warn({ err: error }, `failed to ${name}; will retry`);
  return async () => {
    const startMs = Math.random() * Math.min(pauseMs, maxStartMs);
    await sleep(startMs, undefined, { signal: stopping }).catch(() => undefined);
    await repeat({ pauseMs, stopping, onError }, step);
  };
}
