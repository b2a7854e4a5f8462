import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from './pool.ts';
import { none, one, statement } from './statement.ts';

/** Claims the next step of a task for `seconds`. Undefined if it is not due or another worker has it. */
export const claimPeriodicTask = one<[task: string, seconds: number], { position: string | null }>(
  'claim_periodic_task',
  `UPDATE periodic_tasks SET due_at = clock_timestamp() + $2 * interval '1 second'
    WHERE task = $1 AND due_at <= clock_timestamp() RETURNING position`,
);

const renewStatement = statement(
  'renew_periodic_claim',
  `UPDATE periodic_tasks SET due_at = clock_timestamp() + $2 * interval '1 second' WHERE task = $1`,
);

/** Saves the position of the round (null at its end) and when the next step is due. */
export const endPeriodicStep = none<[task: string, position: string | null, afterSeconds: number]>(
  'end_periodic_step',
  `UPDATE periodic_tasks SET position = $2, due_at = clock_timestamp() + $3 * interval '1 second' WHERE task = $1`,
);

/**
 * Renews the claim of a step every third of `seconds` while `work` runs, for steps whose length depends on the data. Has ended before
 * it returns, so that it cannot overwrite what `endPeriodicStep` saves.
 */
export async function keepClaim<Result>(
  db: Queryable,
  task: string,
  seconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const renew = async () => {
    for (;;) {
      await sleep((seconds * 1000) / 3, undefined, { signal: done.signal }).catch(() => undefined);
      if (done.signal.aborted) return;
      // If it fails, there is time for another try.
      await db.rows(renewStatement, [task, seconds]).catch(() => undefined);
    }
  };
  const renewing = renew();
  try {
    return await work();
  } finally {
    done.abort();
    await renewing;
  }
}
