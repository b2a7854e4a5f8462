import type { Request, Response } from '@tastegraph/contract';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { TastegraphError, TimeoutError } from './errors.ts';
import type { CallOptions } from './operations.ts';
import { checkTimeout } from './options.ts';
import { isPassing } from './retry.ts';

export type Job = Response<'getJob'>;
export type JobType = Job['job_type'];

type AnyResult = NonNullable<Job['job_result']>;
interface Results {
  TRAINING: Extract<AnyResult, { model_id: string }>;
  DEPLOYMENT: Extract<AnyResult, { serving_uri: string }>;
  QUERYING: Extract<AnyResult, { download_url: string }>;
  CLUSTERING: Extract<AnyResult, { download_url: string }>;
}

/** A job that ended well, with the result of its type. Without a type it is a union, told apart by `job_type`. */
export type SucceededJob<T extends JobType = JobType> = {
  [K in T]: Omit<Job, 'job_type' | 'job_status' | 'job_result'> & {
    job_type: K;
    job_status: 'SUCCEED';
    job_result: Results[K];
  };
}[T];

export type JobToWaitFor<T extends JobType = JobType> = Request<'getJob'> & {
  /** Which type it is known to be of: gives `job_result` its type, and is checked. */
  readonly job_type?: T;
};

export interface WaitOptions {
  /** Is shown the job whenever its status, its retries or its progress changed. */
  onProgress?: (job: Job) => void;
  /** Ends the waiting, not the job; the wait rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For the whole wait. Default: no limit, as a job may have to wait for its turn. */
  timeoutMs?: number;
}

/** The job failed: `code` and `detail` are the job's own, written for who submitted it. */
export class JobFailedError extends TastegraphError {
  readonly code: string;
  readonly detail: string;
  readonly job: Job;

  static {
    this.prototype.name = 'JobFailedError';
  }

  constructor(job: Job) {
    const { code, message } = job.error ?? { code: 'INTERNAL', message: 'No reason is given.' };
    super('getJob', `${job.job_id} (${job.name}) failed: ${code}: ${message}`);
    this.code = code;
    this.detail = message;
    this.job = job;
  }
}

/** Somebody canceled the job. */
export class JobCanceledError extends TastegraphError {
  readonly code = 'JOB_CANCELED';
  readonly detail = 'The job was canceled.';
  readonly job: Job;

  static {
    this.prototype.name = 'JobCanceledError';
  }

  constructor(job: Job) {
    super('getJob', `${job.job_id} (${job.name}) was canceled. Submit it again if its result is needed.`);
    this.job = job;
  }
}

/** A small training is done in seconds, and somebody may be looking at it. */
const firstPauseMs = 250;
const pauseGrowth = 1.5;
/** Jobs take minutes to hours: looking more often tells nobody anything. */
const longestPauseMs = 10_000;
/** How long the service may be away in one piece, after the retries of each call: an upgrade or a failover, not more. */
const longestOutageMs = 10 * 60_000;

type GetJob = (request: Request<'getJob'>, options: CallOptions) => Promise<Job>;

export async function waitForJob<T extends JobType>(
  getJob: GetJob,
  { project_id, job_id, job_type }: JobToWaitFor<T>,
  { onProgress, signal, timeoutMs = Infinity }: WaitOptions,
  clock: Clock,
): Promise<SucceededJob<T>> {
  const deadline = new Deadline(checkTimeout(timeoutMs), clock, signal);
  let shown = '';
  let answeredAt = clock.now();
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth)) {
      const job = await getJob({ project_id, job_id }, { signal: deadline.signal }).catch(
        (error: unknown) => {
          if (!isPassing(error) || clock.now() - answeredAt > longestOutageMs) throw error;
          return undefined;
        },
      );
      if (job) {
        answeredAt = clock.now();
        checkType(job, job_type);
        const state = JSON.stringify([job.job_status, job.retry_count, job.progress]);
        if (state !== shown) onProgress?.(job);
        shown = state;
        if (hasEndedWell<T>(job)) return job;
      }
      await clock.sleep(pauseMs, deadline.signal);
    }
  } catch (error) {
    if (!deadline.expired || error instanceof TastegraphError) throw error;
    throw new TimeoutError('getJob', timeoutMs, 'The job goes on: wait for it again, or cancel it.');
  } finally {
    deadline.dispose();
  }
}

function hasEndedWell<T extends JobType>(job: Job): job is SucceededJob<T> {
  if (job.job_status === 'FAILED') throw new JobFailedError(job);
  if (job.job_status === 'CANCELED') throw new JobCanceledError(job);
  return job.job_status === 'SUCCEED';
}

function checkType({ job_id, job_type }: Job, expected: JobType | undefined): void {
  if (expected !== undefined && job_type !== expected)
    throw new TypeError(`${job_id} is a job of type ${job_type}, not ${expected}.`);
}
