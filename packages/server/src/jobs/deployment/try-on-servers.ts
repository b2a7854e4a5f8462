import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../../storage/postgres/attempts.ts';
import type { NewDeployment } from '../../storage/postgres/deployments.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import { deleteEndedTrials, deleteTrial, findTrial, insertTrial } from '../../storage/postgres/trials.ts';
import { Trouble } from '../engine/trouble.ts';
import { JobError } from '../job-error.ts';
import { modelDeleted, whileModelsExist } from './model-deleted.ts';

/** Serving processes show themselves every second, but not while they decode a large model. */
const seenWithinSeconds = 5;
/** Longer than the largest model takes from a store; a process that is not done by then has it in memory at the next try. */
const trialMs = 60_000;
/** For processes that are there to show themselves, should the database have been away. */
const nobodyMs = 1500;
const pauseMs = 100;

/**
 * Has every serving process that is alive load the models and try them. Returns when all of them did well; throws a JobError
 * when one met a problem. One that comes meanwhile is waited for, one that dies is not; but a process that died of these very
 * models must not be the reason to deploy them: somebody must have done well, unless nobody was there from the start.
 */
export async function tryOnServers(
  db: Database,
  hold: Attempt,
  models: Omit<NewDeployment, 'project_key' | 'qps'>,
  signal: AbortSignal,
  limitMs = trialMs,
): Promise<void> {
  await deleteEndedTrials(db);
  await whileModelsExist(insertTrial(db, hold, models));
  try {
    await waitForServers(db, hold, signal, limitMs);
  } finally {
    // Should it fail, the next deployment removes it.
    await deleteTrial(db, hold).catch(() => undefined);
  }
}

async function waitForServers(
  db: Database,
  hold: Attempt,
  signal: AbortSignal,
  limitMs: number,
): Promise<void> {
  const start = performance.now();
  let wasAnybodyThere = false;
  for (;;) {
    const trial = await findTrial(db, hold, seenWithinSeconds);
    if (!trial) throw modelDeleted();
    if (trial.problem !== null) throw new JobError('MODEL_UNFIT', trial.problem);
    const passedMs = performance.now() - start;
    if (trial.awaited > 0) wasAnybodyThere = true;
    else if (trial.reported > 0) return;
    else if (wasAnybodyThere) throw new Trouble('SERVING_LOST');
    else if (passedMs > nobodyMs) return;
    if (passedMs > limitMs) throw new Trouble('SERVING_SILENT');
    await sleep(pauseMs, undefined, { signal });
  }
}
