import { limits } from '@tastegraph/contract';
import { type Attempt, failAttempt, releaseAttempt } from '../../storage/postgres/attempts.ts';
import type { JobProblem } from '../../storage/postgres/jobs.ts';
import type { Database, Transaction } from '../../storage/postgres/pool.ts';
import type { JobQueue } from '../../storage/postgres/queue.ts';
import { JobError } from '../job-error.ts';
import { explain } from './explain.ts';

export interface Settling {
  readonly db: Database;
  readonly queue: JobQueue;
  /** Before the first retry; each further one waits four times as long as the one before. */
  readonly retrySeconds: number;
}

/** An attempt that did not succeed: its job ends, or waits for its next attempt. Nothing happens if it lost its hold. */
export async function settleFailed(
  { db, queue, retrySeconds }: Settling,
  hold: Attempt & { readonly retry_count: number },
  error: unknown,
): Promise<'FAILED' | 'PENDING'> {
  const isOver = error instanceof JobError || hold.retry_count >= limits.jobRetries;
  const problem = explain(error, isOver);
  await db.transaction(async (tx) => {
    if (isOver) await failAttempt(tx, hold, problem);
    else await sendAgain(queue, tx, hold, problem, retrySeconds * 4 ** hold.retry_count);
  });
  return isOver ? 'FAILED' : 'PENDING';
}

/** For a worker that is told to stop: the job waits for another, as if it had not been taken. */
export async function giveBack({ db, queue }: Settling, hold: Attempt): Promise<void> {
  await db.transaction((tx) => sendAgain(queue, tx, hold, null, 0));
}

async function sendAgain(
  queue: JobQueue,
  tx: Transaction,
  hold: Attempt,
  error: JobProblem | null,
  afterSeconds: number,
): Promise<void> {
  const retries = error === null ? 0 : 1;
  const job = await releaseAttempt(tx, hold, { retries, error, afterSeconds });
  if (!job) return;
  const delivery = { jobType: job.job_type, jobKey: hold.job_key, attempt: hold.attempt };
  await queue.send(tx, delivery, { turn: job.turn, afterSeconds });
}
