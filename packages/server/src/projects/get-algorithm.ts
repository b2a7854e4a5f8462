import { requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { type AlgorithmRow, findAlgorithm } from './rows/algorithms.ts';

/** Pass a transaction as `db` to read inside it. */
export async function getAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
  db: Queryable = ctx.db,
): Promise<AlgorithmRow> {
  const row = await findAlgorithm(db, ctx.accountId, projectId, algorithmId);
  return requireFound(row, 'Algorithm', algorithmId, projectId);
}
