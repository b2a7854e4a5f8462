import { setTimeout as sleep } from 'node:timers/promises';
import { JobError, TransientJobError } from '../../jobs/engine/job-error.ts';
import type { Attempt } from '../../jobs/rows/attempts.ts';
import { type Database, isForeignKeyViolation } from '../../kernel/postgres/pool.ts';
import type { DeployedKeys } from '../../projects/rows/past-deployments.ts';
import { deleteEndedTrials, deleteTrial, findTrial, insertRollbackTrial, insertTrial } from '../rows.ts';

/** Serving processes send a heartbeat every second, but not while they decode a large model. */
const seenWithinSeconds = 5;
/** Longer than the largest model takes to load; a process that is slower has it in memory at the next attempt. */
const trialMs = 60_000;
/** Time for running processes to send a heartbeat after a database outage. */
const noServersMs = 1500;
const pauseMs = 100;

/** A caller waits for a rollback. */
const rollbackMs = 20_000;

/**
 * Has every live serving process try the models, also those that start meanwhile, but not those that die. As the models may be
 * what kills them, at least one must succeed, unless there was none from the start. Throws a JobError if one had a problem.
 */
export async function tryOnServers(
  db: Database,
  attempt: Attempt,
  models: DeployedKeys,
  signal: AbortSignal,
  limitMs = trialMs,
): Promise<void> {
  await deleteEndedTrials(db);
  await whileModelsExist(insertTrial(db, attempt, models));
  await waitForServers(db, attempt, limitMs, signal);
}

/** The same for a rollback, which has no job. */
export async function tryForRollback(
  db: Database,
  projectKey: number,
  models: DeployedKeys,
  limitMs = rollbackMs,
): Promise<void> {
  await deleteEndedTrials(db);
  const trial = await whileModelsExist(insertRollbackTrial(db, projectKey, models, limitMs / 1000));
  await waitForServers(db, trial, limitMs);
}

/** Also deletes the trial. */
async function waitForServers(
  db: Database,
  trial: Attempt,
  limitMs: number,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await waitForReports(db, trial, limitMs, signal);
  } finally {
    // If this fails, the next deployment removes it.
    await deleteTrial(db, trial).catch(() => undefined);
  }
}

async function waitForReports(
  db: Database,
  attempt: Attempt,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const start = performance.now();
  let hadServers = false;
  for (;;) {
    const trial = await findTrial(db, attempt, seenWithinSeconds);
    if (!trial) throw modelDeleted();
    if (trial.problem !== null) throw new JobError('MODEL_UNFIT', trial.problem);
    const passedMs = performance.now() - start;
    if (trial.awaited > 0) hadServers = true;
    else if (trial.reported > 0) return;
    else if (hadServers) throw new TransientJobError('SERVING_LOST');
    else if (passedMs > noServersMs) return;
    if (passedMs > limitMs) throw new TransientJobError('SERVING_SILENT');
    await sleep(pauseMs, undefined, signal && { signal });
  }
}

export function modelDeleted(): JobError {
  return new JobError(
    'MODEL_DELETED',
    'A model of the deployment was deleted. Deploy another model. The previous deployment, if any, still serves.',
  );
}

/** For writes that refer to the models: a foreign key violation means that one was deleted. */
export async function whileModelsExist<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isForeignKeyViolation(error) ? modelDeleted() : error;
  }
}
