import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import { claimPeriodicTask, endPeriodicStep } from '../storage/postgres/periodic-tasks.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { deleteOldJobs, deleteOldModels } from '../storage/postgres/retention.ts';

/** What expires, and the rows of `periodic_tasks` that let one worker at a time do it. */
const policies = {
  models: { task: 'expire_models', deleteStep: deleteOldModels },
  jobs: { task: 'expire_jobs', deleteStep: deleteOldJobs },
} as const;

export type Expiring = keyof typeof policies;

/** A model takes about ten lookups, and a deleted one a few writes: transactions of 10 to 20 ms. */
const rowsPerStep = 200;
/** Pause between steps: a round looks at everything that is old and in use, which may be millions of rows. */
const stepPauseMs = 100;
/** They are kept for days, so a day more does not matter. */
const roundSeconds = 24 * 3600;
/** Longer than a step takes. After that, another worker continues from the same position. */
const claimSeconds = 60;
/** How soon a worker notices that a round is due. */
const pauseMs = 60_000;

/** Once a day, removes models or jobs that are older than `days` days and not in use, until `stopping`. One worker at a time. */
export async function expireByAge(
  what: Expiring,
  db: Database,
  days: number,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) => log.warn({ err: error }, `failed to remove old ${what}; will retry`);
  await repeat({ pauseMs, stopping, onError }, async () => {
    const hasMore = await expireStep(what, db, days, log);
    if (hasMore) await sleep(stepPauseMs, undefined, { signal: stopping }).catch(() => undefined);
    return hasMore;
  });
}

/** Looks at the next `limit` rows. False at the end of a round, or if no round is due. */
export async function expireStep(
  what: Expiring,
  db: Database,
  days: number,
  log: Log,
  limit = rowsPerStep,
): Promise<boolean> {
  const { task, deleteStep } = policies[what];
  const claim = await claimPeriodicTask(db, task, claimSeconds);
  if (!claim) return false;
  const { seen, removed, position } = await deleteStep(db, days, limit, claim.position);
  if (removed > 0) log.info({ [what]: removed, days }, `removed old ${what}`);
  const hasMore = seen === limit;
  await endPeriodicStep(db, task, hasMore ? position : null, hasMore ? 0 : roundSeconds);
  return hasMore;
}
