import type { Context } from '../http/context.ts';
import { requireAlgorithm } from './get-algorithm.ts';
import { type AlgorithmRow, deleteAlgorithmRow } from './rows/algorithms.ts';

/** Returns the deleted algorithm. The models that it trained stay. */
export async function deleteAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow> {
  return requireAlgorithm(
    await deleteAlgorithmRow(ctx.db, ctx.accountId, projectId, algorithmId),
    projectId,
    algorithmId,
  );
}
