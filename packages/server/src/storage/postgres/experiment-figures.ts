import type { Queryable, Statement } from './pool.ts';
import { epochMs } from './sql-fragments.ts';

export interface StoredFigures<Figures> {
  /** As the worker has written them; null before the first time. */
  readonly figures: Figures | null;
  readonly measured_ts: number | null;
}

const findStatement: Statement = {
  name: 'find_experiment_figures',
  text: `SELECT figures, ${epochMs('measured_at')} AS measured_ts FROM experiments WHERE experiment_key = $1`,
};

/** By primary key; the caller has checked the account. */
export async function findFigures<Figures>(
  db: Queryable,
  experimentKey: number,
): Promise<StoredFigures<Figures> | undefined> {
  const [row] = await db.rows<StoredFigures<Figures>>(findStatement, [experimentKey]);
  return row;
}
