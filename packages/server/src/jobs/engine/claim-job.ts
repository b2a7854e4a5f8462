import { type AttemptRow, startAttempt } from '../../storage/postgres/attempts.ts';
import type { JobType } from '../../storage/postgres/jobs.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import type { JobQueue } from '../../storage/postgres/queue.ts';

/** The next job, taken by the caller: out of the queue and RUNNING, in one transaction. Undefined when none is due. */
export async function claimJob<Type extends JobType>(
  db: Database,
  queue: JobQueue,
  jobType: Type,
): Promise<AttemptRow<Type> | undefined> {
  for (;;) {
    const taken = await db.transaction(async (tx) => {
      const delivery = await queue.take(tx, jobType);
      return delivery && { attempt: await startAttempt<Type>(tx, delivery.jobKey, delivery.attempt) };
    });
    if (!taken) return undefined;
    // Canceled, deleted with its project, or delivered twice: the delivery is used up, and the next one is looked at.
    if (taken.attempt) return taken.attempt;
  }
}
