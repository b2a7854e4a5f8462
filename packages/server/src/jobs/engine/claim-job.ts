import type { JobType } from '@tastegraph/contract';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { JobQueue } from '../../kernel/postgres/queue.ts';
import { type AttemptRow, startAttempt } from '../rows/attempts.ts';

/** Takes the next job from the queue and marks it RUNNING, in one transaction. Undefined if none is due. */
export async function claimJob<Type extends JobType>(
  db: Database,
  queue: JobQueue,
  jobType: Type,
): Promise<AttemptRow<Type> | undefined> {
  for (;;) {
    const claimed = await db.transaction(async (tx) => {
      const delivery = await queue.take(tx, jobType);
      return delivery && { attempt: await startAttempt<Type>(tx, delivery.jobKey, delivery.attempt) };
    });
    if (!claimed) return undefined;
    // The job was canceled, deleted or delivered twice: drop the delivery and take the next one.
    if (claimed.attempt) return claimed.attempt;
  }
}
