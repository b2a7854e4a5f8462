import type { Hooks } from '../http/hooks.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findEndedJob } from './rows/jobs.ts';

/** Call it in the transaction that ends the job, after the statement that does. */
export async function announceEnd(tx: Queryable, hooks: Hooks, jobKey: number): Promise<void> {
  const job = await findEndedJob(tx, jobKey);
  if (!job) return;
  const { account_id, ...data } = job;
  await hooks.announce(tx, account_id, 'job.ended', data);
}
