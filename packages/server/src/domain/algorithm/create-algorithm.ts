import { type AlgorithmRow, insertAlgorithm, type NewAlgorithm } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';
import { newId } from '../ids.ts';

/** The parameters were checked against the algorithm's schema, as part of the request. */
export async function createAlgorithm(
  ctx: Context,
  projectId: string,
  request: Omit<NewAlgorithm, 'algorithm_id'>,
): Promise<AlgorithmRow> {
  const algorithm = await insertAlgorithm(ctx.db, ctx.accountId, projectId, {
    algorithm_id: newId('algorithm'),
    ...request,
  });
  if (!algorithm) throw notFound('project');
  return algorithm;
}
