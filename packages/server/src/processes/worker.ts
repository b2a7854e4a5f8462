import { deleteAccounts } from '../accounts/delete-accounts.ts';
import { purgeAuditEvents } from '../audit/purge-audit-events.ts';
import { expireEvents } from '../datasets/expire-events.ts';
import { purgeDatasets } from '../datasets/purge-datasets.ts';
import { purgeItemChanges } from '../datasets/purge-item-changes.ts';
import { eraseUsers } from '../erasure/erase-users.ts';
import { startHeartbeat } from '../jobs/engine/heartbeat.ts';
import type { WorkerServices } from '../jobs/engine/job-definition.ts';
import { runJobs } from '../jobs/engine/run-jobs.ts';
import { expireResults } from '../jobs/expire-results.ts';
import { deleteWorkers } from '../jobs/rows/attempts.ts';
import { removeOrphanedObjects } from '../kernel/objects/remove-orphaned-objects.ts';
import { sweepObjects } from '../kernel/objects/sweep-objects.ts';
import { attributeOutcomes } from '../outcomes/attribution/attribute-outcomes.ts';
import { keepDecisions } from '../outcomes/log/keep-decisions.ts';
import { purgeSessions } from '../people/purge-sessions.ts';
import { expireByAge } from '../projects/expire-models.ts';
import { runSchedules } from '../schedules/run-schedules.ts';
import { purgeUsage } from '../usage/purge-usage.ts';
import { recordSizes } from '../usage/record-sizes.ts';
import { deliverWebhooks } from '../webhooks/deliver-webhooks.ts';
import { noticeLimits } from '../webhooks/notice-limits.ts';
import { jobDefinitions } from './job-types.ts';
import { type Objects, openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

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

  const { retrySeconds, maxHours, concurrency: maxTrainings, threads, readers, windowBytes } = jobs;
  const context = { db, queue, retrySeconds, heartbeat, log, metrics, stopping, maxHours };
  const worker: WorkerServices = {
    db,
    databaseUrl,
    store,
    objects,
    maxTrainings,
    threads,
    readers,
    windowBytes,
    recommendingFileUsers: jobs.recommendingFileUsers,
  };
  const work = Promise.all([
    purgeDatasets(db, log, stopping),
    deleteAccounts({ db, store, log }, stopping),
    purgeItemChanges(db, log, stopping),
    purgeAuditEvents(db, config.console.auditDays, log, stopping),
    purgeUsage(db, log, stopping),
    recordSizes(db, log, stopping),
    purgeSessions(db, config.console.idleMs, log, stopping),
    removeOrphanedObjects(db, store, log, stopping),
    expireResults(db, jobs.resultDays, log, stopping),
    expireEvents(db, log, stopping),
    expireByAge('models', db, jobs.modelDays, log, stopping),
    expireByAge('jobs', db, jobs.jobDays, log, stopping),
    sweepObjects({ db, store, log, metrics }, stopping),
    eraseUsers({ db, store, stopping }, log),
    deliverWebhooks({ db, log, metrics, stopping, ...config.webhooks }),
    noticeLimits(db, log, stopping),
    keepDecisions({ db, store, stopping }, jobs.decisionLogDays, log),
    runSchedules({ db, queue, log, metrics, stopping }),
    attributeOutcomes(
      {
        db,
        databaseUrl,
        store,
        stopping,
        keptDays: jobs.decisionLogDays,
        everySeconds: jobs.outcomesSeconds,
      },
      log,
      metrics,
    ),
    ...Array.from(jobDefinitions, ([type, { work, concurrency }]) =>
      runJobs(context, type, work(worker), concurrency(worker)),
    ),
  ]);
  // When `stopping` is aborted, each ends after its current step, and running jobs are requeued.
  closers.add('jobs', 30_000, () => work);
  log.info({ worker_id: workerId }, 'the worker is running');
}
