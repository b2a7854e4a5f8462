import { setTimeout as sleep } from 'node:timers/promises';
import type { JobType } from '@tastegraph/contract';
import { createLimiter } from '../../kernel/lib/limiter.ts';
import { repeat } from '../../kernel/lib/repeat.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { type Database, isUnavailable, type Transaction } from '../../kernel/postgres/pool.ts';
import type { JobQueue } from '../../kernel/postgres/queue.ts';
import { type JobEnd, jobsEnded, jobsStarted } from '../metrics.ts';
import {
  type AttemptRow,
  hasSucceeded,
  startAttempt,
  succeedAttempt,
  updateProgress,
} from '../rows/attempts.ts';
import type { JobProgress } from '../rows/jobs.ts';
import type { Heartbeat } from './heartbeat.ts';
import { JobError, TransientJobError } from './job-error.ts';
import { announceEnd, requeue, type SettlementContext, settleFailed } from './settle-attempt.ts';

/** The outcome of an attempt: its result, and what to write with it. */
export interface Outcome {
  readonly result: object;
  /** Runs in the transaction that marks the job SUCCEED. */
  readonly publish: (tx: Transaction, seconds: number) => Promise<void>;
  /** Runs if the outcome could not be published: discards the objects that were written for it. */
  readonly discard: () => Promise<void>;
}

export interface AttemptContext {
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/** What a worker does for one type of job. Throws a JobError for failures that no retry can fix. */
export type Work<Type extends JobType> = (
  attempt: AttemptRow<Type>,
  context: AttemptContext,
) => Promise<Outcome>;

interface JobContext extends SettlementContext {
  readonly heartbeat: Heartbeat;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stopping: AbortSignal;
  readonly maxHours: number;
}

/** How soon an idle worker notices a new job. */
const pauseMs = 500;
/** Long enough for a database restart or failover: hours of work are not thrown away for that. */
const maxPublishAttempts = 30;
const publishPauseMs = 2000;

const lost = Symbol('the job is no longer ours');
const stopped = Symbol('the worker stops');

/** Runs up to `concurrency` jobs of the type at once, and up to `maxPerAccount` of one account, until `stopping`. */
export async function runJobs<Type extends JobType>(
  context: JobContext,
  jobType: Type,
  work: Work<Type>,
  { concurrency, maxPerAccount = concurrency }: { concurrency: number; maxPerAccount?: number | undefined },
): Promise<void> {
  const { log, stopping, db, queue } = context;
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to claim a job; will retry');
  // By account. One claim at a time, so that none is counted too late.
  const running = new Map<string, number>();
  const inTurn = createLimiter({ concurrency: 1, maxWaiting: Number.POSITIVE_INFINITY });
  const count = (account: string, change: number) => {
    const jobs = (running.get(account) ?? 0) + change;
    if (jobs === 0) running.delete(account);
    else running.set(account, jobs);
  };
  const claim = async () => {
    const full = [...running].filter(([, jobs]) => jobs >= maxPerAccount).map(([account]) => account);
    const attempt = await claimJob(db, queue, jobType, full);
    if (attempt) count(attempt.account_id, 1);
    return attempt;
  };
  const runNext = () =>
    repeat({ pauseMs, stopping, onError }, async () => {
      const attempt = await inTurn(claim);
      if (!attempt) return false;
      await runAttempt(context, attempt, work);
      count(attempt.account_id, -1);
      return true;
    });
  await Promise.all(Array.from({ length: concurrency }, runNext));
}

/** Never throws: the job's row records how the attempt ended, or another worker gives it up. */
async function runAttempt<Type extends JobType>(
  context: JobContext,
  attempt: AttemptRow<Type>,
  work: Work<Type>,
): Promise<void> {
  const log = context.log.child({
    job_id: attempt.job_id,
    attempt: attempt.attempt,
    account_id: attempt.account_id,
  });
  const end = new AbortController();
  const stop = () => end.abort(stopped);
  context.stopping.addEventListener('abort', stop);
  if (context.stopping.aborted) stop();
  const heartbeat = context.heartbeat.track(attempt, () => end.abort(lost));
  const tooLong = new JobError(
    'TIME_LIMIT',
    `The job took longer than ${context.maxHours} hours, which is the limit. Ask the operator to raise JOB_MAX_HOURS, or give the job less data: for a training, delete old events.`,
  );
  const limit = setTimeout(() => end.abort(tooLong), context.maxHours * 3_600_000);
  const report = createProgressReporter((progress) => updateProgress(context.db, attempt, progress));
  log.info({ job_type: attempt.job_type, retry_count: attempt.retry_count }, 'job started');
  context.metrics.add(jobsStarted, { type: attempt.job_type });
  try {
    const outcome = await work(attempt, { signal: end.signal, report });
    end.signal.throwIfAborted();
    const isPublished = await publish(context, attempt, outcome);
    if (!isPublished) await outcome.discard();
    countEnd(context, attempt, isPublished ? 'SUCCEED' : 'LOST');
    log.info(
      { result: outcome.result },
      isPublished ? 'job succeeded' : 'job was reassigned to another worker: nothing is published',
    );
  } catch (error) {
    // Aborted work may throw any error; the reason for the abort is what counts.
    await settle(context, attempt, end.signal.aborted ? end.signal.reason : error, log);
  } finally {
    clearTimeout(limit);
    heartbeat.stop();
    context.stopping.removeEventListener('abort', stop);
  }
}

function countEnd({ metrics }: JobContext, { job_type: type }: AttemptRow, status: JobEnd): void {
  metrics.add(jobsEnded, { type, status });
}

async function settle(context: JobContext, attempt: AttemptRow, reason: unknown, log: Log): Promise<void> {
  const ended = (status: JobEnd) => countEnd(context, attempt, status);
  if (reason === lost) {
    ended('LOST');
    log.info('job was canceled, deleted or reassigned to another worker: stopped working on it');
    return;
  }
  try {
    if (reason === stopped) {
      await requeue(context, attempt);
      ended('GIVEN_BACK');
      log.info('job requeued because the worker is stopping');
      return;
    }
    if (reason instanceof TransientJobError && reason.code === 'OVERTAKEN') {
      // Does not count as a failed attempt. Another job succeeds each time, so this does not repeat forever.
      await requeue(context, attempt);
      ended('RETRIED');
      log.info('job requeued because another job finished first');
      return;
    }
    const status = await settleFailed(context, attempt, reason);
    ended(status === 'FAILED' ? 'FAILED' : 'RETRIED');
    log.warn({ err: reason, status }, 'job attempt failed');
  } catch (error) {
    // The attempt's heartbeat ends now, so another process gives it up.
    ended('LOST');
    log.error({ err: error, reason: String(reason) }, 'failed to record the end of a job attempt');
  }
}

/** False, and nothing is written, if the attempt has lost its job. */
async function publish({ db, hooks }: JobContext, attempt: AttemptRow, outcome: Outcome): Promise<boolean> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await db.transaction(async (tx) => {
        const success = await succeedAttempt(tx, attempt, outcome.result);
        if (success) {
          await outcome.publish(tx, success.seconds);
          await announceEnd(tx, hooks, attempt.job_key);
        }
        // The previous COMMIT may have succeeded and only its response was lost.
        return success !== undefined || (attempts > 1 && (await hasSucceeded(tx, attempt)));
      });
    } catch (error) {
      if (!isUnavailable(error) || attempts === maxPublishAttempts) throw error;
      await sleep(publishPauseMs);
    }
  }
}

/** Takes the next job from the queue and marks it RUNNING, in one transaction. Undefined if none is due. */
async function claimJob<Type extends JobType>(
  db: Database,
  queue: JobQueue,
  jobType: Type,
  exceptAccounts: readonly string[],
): Promise<AttemptRow<Type> | undefined> {
  for (;;) {
    const claimed = await db.transaction(async (tx) => {
      const delivery = await queue.take(tx, jobType, exceptAccounts);
      return delivery && { attempt: await startAttempt<Type>(tx, delivery.jobKey, delivery.attempt) };
    });
    if (!claimed) return undefined;
    // The job was canceled, deleted or delivered twice: drop the delivery and take the next one.
    if (claimed.attempt) return claimed.attempt;
  }
}

/** Often enough to look alive, rarely enough to cost nothing. */
const everyMs = 1000;

type ReportProgress = (stage: string, fraction: number, message?: string) => void;

/** A new stage at once, other updates at most once per interval; one write at a time, the newest last. */
function createProgressReporter(write: (progress: JobProgress) => Promise<void>): ReportProgress {
  let newest: JobProgress | undefined;
  let stage: string | undefined;
  let last = Number.NEGATIVE_INFINITY;
  let writing = false;

  const flush = async (): Promise<void> => {
    writing = true;
    while (newest && (newest.stage !== stage || performance.now() - last >= everyMs)) {
      const progress = newest;
      newest = undefined;
      stage = progress.stage;
      last = performance.now();
      // A lost update does no harm: the next one supersedes it.
      await write(progress).catch(() => undefined);
    }
    writing = false;
  };
  return (nextStage, fraction, message) => {
    newest = { stage: nextStage, fraction: Math.min(1, Math.max(0, fraction)), message: message ?? null };
    if (!writing) void flush();
  };
}
