import { type AlgorithmRow, insertAlgorithm } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';
import { newId } from '../ids.ts';

export interface NewAlgorithm {
  readonly name: string;
  readonly algorithm_type: 'G1';
  readonly algorithm_parameters: Record<string, unknown>;
}

/** The parameters were checked against the algorithm's schema, as part of the request. */
export async function createAlgorithm(
  ctx: Context,
  projectId: string,
  request: NewAlgorithm,
): Promise<AlgorithmRow> {
  const algorithm = await insertAlgorithm(ctx.db, ctx.accountId, projectId, {
    algorithm_id: newId('algorithm'),
    name: request.name,
    algorithm_type: request.algorithm_type,
    algorithm_parameters: request.algorithm_parameters,
  });
  if (!algorithm) throw notFound('project');
  return algorithm;
}
