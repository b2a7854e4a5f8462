import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import { claimPeriodicTask, endPeriodicStep, keepClaim } from '../kernel/postgres/periodic-tasks.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { deleteUnusedRows, type Expiring, listOldRows, lockOldRows } from './rows/retention.ts';

/** A model takes about ten lookups, and a deleted one a few writes: transactions of 10 to 20 ms. */
const rowsPerStep = 200;
/** Pause between steps: a round looks at everything that is old and in use, which may be millions of rows. */
const stepPauseMs = 100;
/** They are kept for days, so a day more does not matter. */
const roundSeconds = 24 * 3600;
/** Renewed while a step runs. Otherwise another worker continues from the same position. */
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
  const task = `expire_${what}`;
  const claim = await claimPeriodicTask(db, task, claimSeconds);
  if (!claim) return false;
  const { seen, position } = await keepClaim(db, task, claimSeconds, async () => {
    const old = await listOldRows(db, what, days, limit, claim.position);
    await remove(what, db, old.unused, days, log);
    return old;
  });
  const hasMore = seen === limit;
  await endPeriodicStep(db, task, hasMore ? position : null, hasMore ? 0 : roundSeconds);
  return hasMore;
}

async function remove(
  what: Expiring,
  db: Database,
  keys: readonly number[],
  days: number,
  log: Log,
): Promise<void> {
  if (keys.length === 0) return;
  try {
    const removed = await db.transaction(async (tx) =>
      deleteUnusedRows(tx, what, await lockOldRows(tx, what, keys)),
    );
    if (removed > 0) log.info({ [what]: removed, days }, `removed old ${what}`);
  } catch (error) {
    // What fails every time must not keep the rest from being removed: in this step, and in the round.
    if (keys.length > 1) {
      const half = Math.ceil(keys.length / 2);
      for (const some of [keys.slice(0, half), keys.slice(half)]) await remove(what, db, some, days, log);
      return;
    }
    log.warn(
      { err: error, key: keys[0] },
      `failed to remove one of the old ${what}; the next round tries again`,
    );
  }
}
