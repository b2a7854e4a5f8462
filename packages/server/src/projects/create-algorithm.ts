import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { checkParameters } from './check-parameters.ts';
import { type AlgorithmRow, insertAlgorithm, type NewAlgorithm } from './rows/algorithms.ts';

export async function createAlgorithm(
  ctx: Context,
  projectId: string,
  request: Omit<NewAlgorithm, 'algorithm_id'>,
): Promise<AlgorithmRow> {
  checkParameters(request.algorithm_type, request.algorithm_parameters);
  return ctx.db.transaction(async (tx) => {
    await enforcePlanCap(tx, ctx.accountId, 'algorithms', () => 1);
    const algorithm = await insertAlgorithm(tx, ctx.accountId, projectId, {
      algorithm_id: newId('algorithm'),
      ...request,
    });
    if (!algorithm) throw notFound('Project', projectId);
    return algorithm;
  });
}
