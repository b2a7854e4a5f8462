import type { JobResult, Request, Response } from '@tastegraph/contract';
import type { JobType } from '@tastegraph/contract/endpoints';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { TastegraphError, TimeoutError } from './errors.ts';
import type { CallOptions } from './operations.ts';
import { checkTimeout } from './options.ts';
import { isTransient } from './retry.ts';

export type Job = Response<'getJob'>;
/** A succeeded job with the result of its type. Without a type argument, a union discriminated by `job_type`. */
export type SucceededJob<T extends JobType = JobType> = {
  [K in T]: Omit<Job, 'job_type' | 'job_status' | 'job_result'> & {
    job_type: K;
    job_status: 'SUCCEED';
    job_result: JobResult<K>;
  };
}[T];

export type JobToWaitFor<T extends JobType = JobType> = Request<'getJob'> & {
  /** The expected type of the job. Determines the type of `job_result`, and is checked. */
  readonly job_type?: T;
};

export interface WaitOptions {
  /** Called with the job whenever its status, retry count or progress has changed. */
  onProgress?: (job: Job) => void;
  /** Stops the waiting, not the job. The wait rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For the whole wait. Default: no limit, as a job may be queued for long. */
  timeoutMs?: number;
}

/** The job failed. `code` and `detail` are those of the job's error. */
export class JobFailedError extends TastegraphError {
  readonly code: string;
  readonly detail: string;
  readonly job: Job;

  static {
    this.prototype.name = 'JobFailedError';
  }

  constructor(job: Job) {
    const { code, message } = job.error ?? { code: 'INTERNAL', message: 'The service gave no reason.' };
    super('getJob', `${job.job_id} (${job.name}) failed: ${code}: ${message}`);
    this.code = code;
    this.detail = message;
    this.job = job;
  }
}

/** The job was canceled. */
export class JobCanceledError extends TastegraphError {
  readonly code = 'JOB_CANCELED';
  readonly detail = 'The job was canceled.';
  readonly job: Job;

  static {
    this.prototype.name = 'JobCanceledError';
  }

  constructor(job: Job) {
    super('getJob', `${job.job_id} (${job.name}) was canceled. Submit it again if you need its result.`);
    this.job = job;
  }
}

/** A small training takes only seconds. */
const initialPauseMs = 250;
const pauseGrowth = 1.5;
/** Longer jobs take minutes to hours. */
const maxPauseMs = 10_000;
/** The longest outage that a wait tolerates, for example an upgrade or a failover. */
const maxOutageMs = 10 * 60_000;

type GetJob = (request: Request<'getJob'>, options: CallOptions) => Promise<Job>;

export async function waitForJob<T extends JobType>(
  getJob: GetJob,
  { project_id, job_id, job_type }: JobToWaitFor<T>,
  { onProgress, signal, timeoutMs = Infinity }: WaitOptions,
  clock: Clock,
): Promise<SucceededJob<T>> {
  const deadline = new Deadline(checkTimeout(timeoutMs), clock, signal);
  let lastState = '';
  let lastResponseAt = clock.now();
  try {
    for (let pauseMs = initialPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * pauseGrowth)) {
      const job = await getJob({ project_id, job_id }, { signal: deadline.signal }).catch(
        (error: unknown) => {
          if (!isTransient(error) || clock.now() - lastResponseAt > maxOutageMs) throw error;
          return undefined;
        },
      );
      if (job) {
        lastResponseAt = clock.now();
        checkType(job, job_type);
        const state = JSON.stringify([job.job_status, job.retry_count, job.progress]);
        if (state !== lastState) onProgress?.(job);
        lastState = state;
        if (hasSucceeded<T>(job)) return job;
      }
      await clock.sleep(pauseMs, deadline.signal);
    }
  } catch (error) {
    if (!deadline.expired || error instanceof TastegraphError) throw error;
    throw new TimeoutError(
      'getJob',
      timeoutMs,
      'The job continues on the service. Wait for it again, or cancel it.',
    );
  } finally {
    deadline.dispose();
  }
}

function hasSucceeded<T extends JobType>(job: Job): job is SucceededJob<T> {
  if (job.job_status === 'FAILED') throw new JobFailedError(job);
  if (job.job_status === 'CANCELED') throw new JobCanceledError(job);
  return job.job_status === 'SUCCEED';
}

function checkType({ job_id, job_type }: Job, expected: JobType | undefined): void {
  if (expected !== undefined && job_type !== expected)
    throw new TypeError(`Job ${job_id} has type ${job_type}, not ${expected}.`);
}
