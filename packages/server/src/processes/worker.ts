import { keepDecisions } from '../jobs/decisions/keep-decisions.ts';
import { deleteAccounts } from '../jobs/delete-accounts.ts';
import { startHeartbeat } from '../jobs/engine/heartbeat.ts';
import type { WorkerServices } from '../jobs/engine/job-definition.ts';
import { runJobs } from '../jobs/engine/run-jobs.ts';
import { eraseUsers } from '../jobs/erasure/erase-users.ts';
import { expireByAge } from '../jobs/expire-by-age.ts';
import { expireEvents } from '../jobs/expire-events.ts';
import { expireResults } from '../jobs/expire-results.ts';
import { attributeOutcomes } from '../jobs/outcomes/attribute-outcomes.ts';
import { purgeAuditEvents } from '../jobs/purge-audit-events.ts';
import { purgeDatasets } from '../jobs/purge-datasets.ts';
import { purgeItemChanges } from '../jobs/purge-item-changes.ts';
import { purgeSessions } from '../jobs/purge-sessions.ts';
import { purgeUsage } from '../jobs/purge-usage.ts';
import { recordSizes } from '../jobs/record-sizes.ts';
import { jobDefinitions } from '../jobs/registry.ts';
import { removeOrphanedObjects } from '../jobs/remove-orphaned-objects.ts';
import { runSchedules } from '../jobs/schedules/run-schedules.ts';
import { sweepObjects } from '../jobs/sweep-objects.ts';
import { deliverWebhooks } from '../jobs/webhooks/deliver-webhooks.ts';
import { noticeLimits } from '../jobs/webhooks/notice-limits.ts';
import { deleteWorkers } from '../storage/postgres/attempts.ts';
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
