import { clusterUsers } from '../jobs/clustering/cluster-users.ts';
import { deployModels } from '../jobs/deployment/deploy-models.ts';
import { startHeartbeat } from '../jobs/engine/heartbeat.ts';
import { runJobs } from '../jobs/engine/run-jobs.ts';
import { forgetItemChanges } from '../jobs/forget-item-changes.ts';
import { purgeDatasets } from '../jobs/purge-datasets.ts';
import { answerQueries } from '../jobs/querying/answer-queries.ts';
import { removeLooseObjects } from '../jobs/remove-loose-objects.ts';
import { trainModel } from '../jobs/training/train-model.ts';
import { deleteWorkers } from '../storage/postgres/attempts.ts';
import { type Objects, openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

/** Beside the trainings: a deployment takes seconds, and nearly all of them it waits. */
const deploymentPlaces = 1;
/** Of each kind: seconds of one thread, and nobody who asks should wait for another's training. */
const analysisPlaces = 1;

export async function startWorker(runtime: Runtime): Promise<void> {
  runWorker(runtime, await openObjects(runtime));
}

export function runWorker(runtime: Runtime, { settings: objects, store }: Objects): void {
  const { config, processId: workerId, log, metrics, db, queue, closers, stopping } = runtime;
  const { databaseUrl, jobs } = config;
  const heartbeat = startHeartbeat(
    { databaseUrl, workerId, everyMs: jobs.heartbeatSeconds * 1000, hungMs: jobs.hungSeconds * 1000 },
    log,
  );
  closers.add('heartbeat', 5000, async () => {
    await heartbeat[Symbol.asyncDispose]();
    await deleteWorkers(db, workerId);
  });

  const { retrySeconds, maxHours, places, threads } = jobs;
  const running = { db, queue, retrySeconds, heartbeat, log, metrics, stopping, maxHours };
  const work = Promise.all([
    purgeDatasets(db, log, stopping),
    forgetItemChanges(db, log, stopping),
    removeLooseObjects(db, store, log, stopping),
    runJobs(running, 'TRAINING', trainModel(db, { databaseUrl, objects, threads }), places),
    runJobs(running, 'DEPLOYMENT', deployModels(db, store), deploymentPlaces),
    runJobs(running, 'QUERYING', answerQueries(db, { objects }), analysisPlaces),
    runJobs(running, 'CLUSTERING', clusterUsers(db, { objects }), analysisPlaces),
  ]);
  // `stopping` ends each after the step it is in; jobs under way are given back.
  closers.add('jobs', 30_000, () => work);
  log.info({ worker_id: workerId }, 'the worker is running');
}
