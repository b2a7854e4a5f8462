import { limits } from '@tastegraph/contract';
import type { Hooks } from '../../http/hooks.ts';
import { repeat } from '../../kernel/lib/repeat.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Database, Queryable, Transaction } from '../../kernel/postgres/pool.ts';
import type { JobQueue } from '../../kernel/postgres/queue.ts';
import { type Attempt, failAttempt, listRunning, releaseAttempt } from '../rows/attempts.ts';
import { findEndedJob, type JobProblem } from '../rows/jobs.ts';
import { JobError, TransientJobError, transientErrorCode, transientErrors } from './job-error.ts';

export interface SettlementContext {
  readonly db: Database;
  readonly queue: JobQueue;
  readonly hooks: Hooks;
  /** Delay before the first retry; each further delay is four times as long. */
  readonly retrySeconds: number;
}

/** Ends the job of a failed attempt, or queues it again. Does nothing if the attempt has lost the job. */
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
  await queue.send(tx, delivery, { group: job.account_id, fairRank: job.turn, afterSeconds });
}

/** Call it in the transaction that ends the job, after the statement that does. */
export async function announceEnd(tx: Queryable, hooks: Hooks, jobKey: number): Promise<void> {
  const job = await findEndedJob(tx, jobKey);
  if (!job) return;
  const { account_id, ...data } = job;
  await hooks.announce(tx, account_id, 'job.ended', data);
}

/** The error for the developer who submitted the job. The worker's log has the details, under the job_id. */
function explain(error: unknown, isFinal: boolean): JobProblem {
  if (error instanceof JobError) return { code: error.code, message: error.message };
  const code = transientErrorCode(error);
  const next = isFinal
    ? `All ${limits.jobRetries + 1} attempts failed. Submit the job again later. If the problem persists, report the job ID to the operator.`
    : 'The job is retried automatically.';
  return { code, message: `${transientErrors[code]} ${next}` };
}

interface ReapOptions {
  readonly everyMs: number;
  /** An attempt is given up if its heartbeat has not changed for this long while we watched. */
  readonly lostMs: number;
}

/**
 * Watches the heartbeats of all running jobs until `stopping`, and gives up attempts whose heartbeats stop: their jobs
 * are retried or fail. Safe to run in any number of processes. Time counts only while this process can read the
 * database, so that after an outage every worker has the full time again; and no two machines' clocks are compared.
 */
export async function reapStaleJobs(
  context: SettlementContext,
  { everyMs, lostMs }: ReapOptions,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  let seen = new Map<string, number>();
  const onError = (error: unknown) => {
    seen = new Map();
    log.warn({ err: error }, 'failed to read heartbeats');
  };
  await repeat({ pauseMs: everyMs, stopping, onError }, async () => {
    const now = performance.now();
    const next = new Map<string, number>();
    for (const attempt of await listRunning(context.db)) {
      const heartbeat = `${attempt.job_key} ${attempt.attempt} ${attempt.heartbeat}`;
      const since = seen.get(heartbeat) ?? now;
      next.set(heartbeat, since);
      if (now - since < lostMs) continue;
      const status = await settleFailed(context, attempt, new TransientJobError('WORKER_LOST'));
      log.warn(
        { job_key: attempt.job_key, attempt: attempt.attempt, status },
        'a worker stopped sending heartbeats: its job attempt is given up',
      );
    }
    seen = next;
    return false;
  });
}
