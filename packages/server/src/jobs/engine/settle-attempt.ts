import { limits } from '@tastegraph/contract';
import type { Hooks } from '../../http/hooks.ts';
import type { Database, Transaction } from '../../kernel/postgres/pool.ts';
import type { JobQueue } from '../../kernel/postgres/queue.ts';
import { announceEnd } from '../announce-end.ts';
import { type Attempt, failAttempt, releaseAttempt } from '../rows/attempts.ts';
import type { JobProblem } from '../rows/jobs.ts';
import { explain } from './explain.ts';
import { JobError } from './job-error.ts';

export interface SettlementContext {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly hooks: Hooks;
  /** Delay before the first retry; each further delay is four times as long. */
  readonly retrySeconds: number;
}

/**
 * Ends the job of a failed attempt, or queues it for the next attempt. Does nothing if the attempt has lost the job.
 */
export async function settleFailed(
  { db, queue, hooks, retrySeconds }: SettlementContext,
  attempt: Attempt & { readonly retry_count: number },
  error: unknown,
): Promise<'FAILED' | 'PENDING'> {
  const isFinal = error instanceof JobError || attempt.retry_count >= limits.jobRetries;
  const problem = explain(error, isFinal);
  await db.transaction(async (tx) => {
    if (isFinal) {
      if (await failAttempt(tx, attempt, problem)) await announceEnd(tx, hooks, attempt.job_key);
    } else await sendToQueue(queue, tx, attempt, problem, retrySeconds * 4 ** attempt.retry_count);
  });
  return isFinal ? 'FAILED' : 'PENDING';
}

/** For a worker that stops: queues the job as if it had not been claimed. */
export async function requeue({ db, queue }: SettlementContext, attempt: Attempt): Promise<void> {
  await db.transaction((tx) => sendToQueue(queue, tx, attempt, null, 0));
}

async function sendToQueue(
  queue: JobQueue,
  tx: Transaction,
  attempt: Attempt,
  error: JobProblem | null,
  afterSeconds: number,
): Promise<void> {
  const retries = error === null ? 0 : 1;
  const job = await releaseAttempt(tx, attempt, { retries, error, afterSeconds });
  if (!job) return;
  const delivery = { jobType: job.job_type, jobKey: attempt.job_key, attempt: attempt.attempt };
  await queue.send(tx, delivery, { fairRank: job.turn, afterSeconds });
}
