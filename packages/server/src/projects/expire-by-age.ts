import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../kernel/observability/log.ts';
import { claimPeriodicTask, endPeriodicStep, keepClaim } from '../kernel/postgres/periodic-tasks.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { type Expiring, oldModels } from './rows/retention.ts';

/** A model takes about ten lookups, and a deleted one a few writes: transactions of 10 to 20 ms. */
const rowsPerStep = 200;
/** Pause between steps: a round looks at everything that is old and in use, which may be millions of rows. */
const stepPauseMs = 100;
/** They are kept for days, so a day more does not matter. */
const roundSeconds = 24 * 3600;
/** Renewed while a step runs. Otherwise another worker continues from the same position. */
const claimSeconds = 60;

/** Once a day, removes models or jobs that are older than `days` days and not in use. One worker at a time. */
export function expireByAge(
  expiring: Expiring,
  { db, log, stopping }: Pick<Services, 'db' | 'log' | 'stopping'>,
  days: number,
): TaskStep {
  return async () => {
    const hasMore = await expireStep(expiring, db, days, log);
    if (hasMore) await sleep(stepPauseMs, undefined, { signal: stopping }).catch(() => undefined);
    return hasMore;
  };
}

/** Looks at the next `limit` rows. False at the end of a round, or if no round is due. */
export async function expireStep(
  expiring: Expiring,
  db: Database,
  days: number,
  log: Log,
  limit = rowsPerStep,
): Promise<boolean> {
  const task = `expire_${expiring.what}`;
  const claim = await claimPeriodicTask(db, task, claimSeconds);
  if (!claim) return false;
  const { seen, position } = await keepClaim(db, task, claimSeconds, async () => {
    const old = await expiring.list(db, days, limit, claim.position);
    await remove(expiring, db, old.unused, days, log);
    return old;
  });
  const hasMore = seen === limit;
  await endPeriodicStep(db, task, hasMore ? position : null, hasMore ? 0 : roundSeconds);
  return hasMore;
}

async function remove(
  expiring: Expiring,
  db: Database,
  keys: readonly number[],
  days: number,
  log: Log,
): Promise<void> {
  if (keys.length === 0) return;
  const { what } = expiring;
  try {
    const removed = await db.transaction(async (tx) => expiring.delete(tx, await expiring.lock(tx, keys)));
    if (removed > 0) log.info({ [what]: removed, days }, `removed old ${what}`);
  } catch (error) {
    // What fails every time must not keep the rest from being removed: in this step, and in the round.
    if (keys.length > 1) {
      const half = Math.ceil(keys.length / 2);
      for (const some of [keys.slice(0, half), keys.slice(half)]) await remove(expiring, db, some, days, log);
      return;
    }
    log.warn(
      { err: error, key: keys[0] },
      `failed to remove one of the old ${what}; the next round tries again`,
    );
  }
}

export const expireModels = (services: Services): TaskStep =>
  expireByAge(oldModels, services, services.config.jobs.modelDays);
