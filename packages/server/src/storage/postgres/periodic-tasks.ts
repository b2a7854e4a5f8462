import type { Queryable, Statement } from './pool.ts';

const claimStatement: Statement = {
  name: 'claim_periodic_task',
  text: `UPDATE periodic_tasks SET due_at = clock_timestamp() + $2 * interval '1 second'
    WHERE task = $1 AND due_at <= clock_timestamp() RETURNING position`,
};

/** Claims the next step of a task for `seconds`. Undefined if it is not due or another worker has it. */
export async function claimPeriodicTask(
  db: Queryable,
  task: string,
  seconds: number,
): Promise<{ position: string | null } | undefined> {
  const [row] = await db.rows<{ position: string | null }>(claimStatement, [task, seconds]);
  return row;
}

const endStatement: Statement = {
  name: 'end_periodic_step',
  text: `UPDATE periodic_tasks SET position = $2, due_at = clock_timestamp() + $3 * interval '1 second' WHERE task = $1`,
};

/** Saves the position of the round (null at its end) and when the next step is due. */
export async function endPeriodicStep(
  db: Queryable,
  task: string,
  position: string | null,
  afterSeconds: number,
): Promise<void> {
  await db.rows(endStatement, [task, position, afterSeconds]);
}
