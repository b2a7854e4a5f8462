import { type AlgorithmRow, deleteAlgorithmRow } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { foundAlgorithm } from './get-algorithm.ts';

/** Models that it trained stay. Answers the algorithm as it last was. */
export async function deleteAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow> {
  return foundAlgorithm(await deleteAlgorithmRow(ctx.db, ctx.accountId, projectId, algorithmId));
}
