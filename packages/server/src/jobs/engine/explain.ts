import { limits } from '@tastegraph/contract';
import type { JobProblem } from '../../storage/postgres/jobs.ts';
import { JobError } from '../job-error.ts';
import { troubleCode, troubles } from './trouble.ts';

/** What the developer who submitted the job is told. What really happened is in the worker's log, under the job_id. */
export function explain(error: unknown, isOver: boolean): JobProblem {
  if (error instanceof JobError) return { code: error.code, message: error.message };
  const code = troubleCode(error);
  const next = isOver
    ? `It was tried ${limits.jobRetries + 1} times. Submit the job again later; if it stays, tell the operator the job_id.`
    : 'It will be tried again by itself.';
  return { code, message: `${troubles[code]} ${next}` };
}
