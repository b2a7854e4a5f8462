import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../lib/repeat.ts';
import type { Log } from '../../observability/log.ts';
import type { JobEnd, Metrics } from '../../observability/metrics.ts';
import {
  type AttemptRow,
  hasSucceeded,
  succeedAttempt,
  updateProgress,
} from '../../storage/postgres/attempts.ts';
import type { JobType } from '../../storage/postgres/jobs.ts';
import { isUnavailable, type Transaction } from '../../storage/postgres/pool.ts';
import { JobError } from '../job-error.ts';
import { claimJob } from './claim-job.ts';
import type { Heartbeat } from './heartbeat.ts';
import { type ReportProgress, reportTo } from './progress.ts';
import { giveBack, type Settling, settleFailed } from './settle-attempt.ts';
import { Trouble } from './trouble.ts';

/** What an attempt came to: its result, and what must be written with it. */
export interface Outcome {
  readonly result: object;
  /** In the transaction in which the job succeeds: all of it or nothing. */
  readonly publish: (tx: Transaction, seconds: number) => Promise<void>;
  /** When it could not be published after all: what was written for it is of no use. */
  readonly discard: () => Promise<void>;
}

export interface Tools {
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/** What a worker does for one type of job. Throws a JobError for what no retry can mend. */
export type Work<Type extends JobType> = (attempt: AttemptRow<Type>, tools: Tools) => Promise<Outcome>;

export interface Running extends Settling {
  readonly heartbeat: Heartbeat;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stopping: AbortSignal;
  readonly maxHours: number;
}

/** How long a job may lie in the queue while a worker is free. */
const pauseMs = 500;
/** A database that is restarted or fails over is back by then; what took hours is not thrown away for it. */
const publishAttempts = 30;
const publishPauseMs = 2000;

const lost = Symbol('the job is no longer ours');
const stopped = Symbol('the worker stops');

/** Takes jobs of the type, `places` at once, until `stopping`. */
export async function runJobs<Type extends JobType>(
  running: Running,
  jobType: Type,
  work: Work<Type>,
  places: number,
): Promise<void> {
  const { log, stopping, db, queue } = running;
  const onError = (error: unknown) => log.warn({ err: error }, 'taking jobs will be tried again');
  const place = () =>
    repeat({ pauseMs, stopping, onError }, async () => {
      const attempt = await claimJob(db, queue, jobType);
      if (attempt) await runAttempt(running, attempt, work);
      return attempt !== undefined;
    });
  await Promise.all(Array.from({ length: places }, place));
}

/** Never throws: however it goes, the job's row says so, or another worker will. */
async function runAttempt<Type extends JobType>(
  running: Running,
  attempt: AttemptRow<Type>,
  work: Work<Type>,
): Promise<void> {
  const log = running.log.child({
    job_id: attempt.job_id,
    attempt: attempt.attempt,
    account_id: attempt.account_id,
  });
  const end = new AbortController();
  const stop = () => end.abort(stopped);
  running.stopping.addEventListener('abort', stop);
  if (running.stopping.aborted) stop();
  const hold = running.heartbeat.hold(attempt, () => end.abort(lost));
  const tooLong = new JobError(
    'TIME_LIMIT',
    `The job took longer than ${running.maxHours} hours, which is the most. Train on less data (delete old events), or have the operator raise JOB_MAX_HOURS.`,
  );
  const limit = setTimeout(() => end.abort(tooLong), running.maxHours * 3_600_000);
  const report = reportTo((progress) => updateProgress(running.db, attempt, progress));
  log.info({ job_type: attempt.job_type, retry_count: attempt.retry_count }, 'a job begins');
  running.metrics.jobTaken(attempt.job_type);
  try {
    const outcome = await work(attempt, { signal: end.signal, report });
    end.signal.throwIfAborted();
    const isOurs = await publish(running, attempt, outcome);
    if (!isOurs) await outcome.discard();
    running.metrics.jobEnded(attempt.job_type, isOurs ? 'SUCCEED' : 'LOST');
    log.info(
      { result: outcome.result },
      isOurs ? 'a job succeeded' : 'a job was given to another: nothing is published',
    );
  } catch (error) {
    // Work that was ended may end in any error; why it was ended is what counts.
    await settle(running, attempt, end.signal.aborted ? end.signal.reason : error, log);
  } finally {
    clearTimeout(limit);
    hold.release();
    running.stopping.removeEventListener('abort', stop);
  }
}

async function settle(running: Running, attempt: AttemptRow, reason: unknown, log: Log): Promise<void> {
  const ended = (how: JobEnd) => running.metrics.jobEnded(attempt.job_type, how);
  if (reason === lost) {
    ended('LOST');
    log.info('a job was canceled, deleted or given to another: its work ends');
    return;
  }
  try {
    if (reason === stopped) {
      await giveBack(running, attempt);
      ended('GIVEN_BACK');
      log.info('a job is given back');
      return;
    }
    if (reason instanceof Trouble && reason.code === 'OVERTAKEN') {
      // Each time another one succeeded: it is no failure of this one's, and comes to an end.
      await giveBack(running, attempt);
      ended('RETRIED');
      log.info('a job was overtaken, and begins anew');
      return;
    }
    const status = await settleFailed(running, attempt, reason);
    ended(status === 'FAILED' ? 'FAILED' : 'RETRIED');
    log.warn({ err: reason, status }, 'an attempt failed');
  } catch (error) {
    // Its heartbeat ends with it: another process will notice.
    ended('LOST');
    log.error({ err: error, reason: String(reason) }, 'how an attempt ended could not be written');
  }
}

/** False when the attempt had lost its job: then nothing is written. */
async function publish({ db }: Running, attempt: AttemptRow, outcome: Outcome): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (tx) => {
        const success = await succeedAttempt(tx, attempt, outcome.result);
        if (success) await outcome.publish(tx, success.seconds);
        // What was lost before may have been the answer to the COMMIT alone.
        return success !== undefined || (tries > 1 && (await hasSucceeded(tx, attempt)));
      });
    } catch (error) {
      if (!isUnavailable(error) || tries === publishAttempts) throw error;
      await sleep(publishPauseMs);
    }
  }
}
