import { limits } from '@tastegraph/contract';
import type { JobProblem } from '../rows/jobs.ts';
import { JobError } from './job-error.ts';
import { transientErrorCode, transientErrors } from './transient-job-error.ts';

/** The error for the developer who submitted the job. The worker's log has the details, under the job_id. */
export function explain(error: unknown, isFinal: boolean): JobProblem {
  if (error instanceof JobError) return { code: error.code, message: error.message };
  const code = transientErrorCode(error);
  const next = isFinal
    ? `All ${limits.jobRetries + 1} attempts failed. Submit the job again later. If the problem persists, report the job ID to the operator.`
    : 'The job is retried automatically.';
  return { code, message: `${transientErrors[code]} ${next}` };
}
