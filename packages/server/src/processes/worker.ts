import { startHeartbeat } from '../jobs/engine/heartbeat.ts';
import type { WorkerServices } from '../jobs/engine/job-definition.ts';
import { runJobs } from '../jobs/engine/run-jobs.ts';
import { deleteWorkers } from '../jobs/rows/attempts.ts';
import { jobDefinition, jobTypes } from './modules.ts';
import type { Runtime } from './run.ts';
import { openTasks } from './run-tasks.ts';

export async function startWorker(runtime: Runtime): Promise<void> {
  const { config, processId: workerId, log, metrics, db, queue, hooks, closers, stopping } = runtime;
  const { databaseUrl, jobs } = config;
  const heartbeat = startHeartbeat(
    { databaseUrl, workerId, everyMs: jobs.heartbeatSeconds * 1000, hungMs: jobs.hungSeconds * 1000 },
    log,
  );
  closers.add('heartbeat', 5000, async () => {
    await heartbeat[Symbol.asyncDispose]();
    await deleteWorkers(db, workerId);
  });

  const { retrySeconds, maxHours, concurrency: maxTrainings, threads, readers, windowBytes } = jobs;
  const { recommendingFileUsers } = jobs;
  const context = { db, queue, hooks, retrySeconds, heartbeat, log, metrics, stopping, maxHours };
  const { store, objects } = runtime;
  const worker: WorkerServices = {
    db,
    hooks,
    databaseUrl,
    store,
    objects,
    maxTrainings,
    threads,
    readers,
    windowBytes,
    recommendingFileUsers,
  };
  const definitions = await Promise.all(
    jobTypes.map(async (type) => ({ type, definition: await jobDefinition(type) })),
  );
  const runTasks = await openTasks(runtime);
  const work = Promise.all([
    runTasks(),
    ...definitions.map(({ type, definition: { work, concurrency } }) =>
      runJobs(context, type, work(worker), concurrency(worker)),
    ),
  ]);
  // When `stopping` is aborted, each ends after its current step, and running jobs are requeued.
  closers.add('jobs', 30_000, () => work);
  log.info({ worker_id: workerId }, 'the worker is running');
}
