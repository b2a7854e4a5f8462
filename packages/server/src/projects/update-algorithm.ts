import type { Context } from '../http/context.ts';
import { checkParameters } from './check-parameters.ts';
import { getAlgorithm, requireAlgorithm } from './get-algorithm.ts';
import { type AlgorithmRow, updateAlgorithmRow } from './rows/algorithms.ts';

export interface AlgorithmChange {
  readonly name?: string;
  /** Replaces all parameters. */
  readonly algorithm_parameters?: Record<string, unknown>;
}

/** Existing models keep the parameters that they were trained with. */
export async function updateAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
  change: AlgorithmChange,
): Promise<AlgorithmRow> {
  if (change.algorithm_parameters) {
    const { algorithm_type } = await getAlgorithm(ctx, projectId, algorithmId);
    checkParameters(algorithm_type, change.algorithm_parameters);
  }
  const row = await updateAlgorithmRow(ctx.db, ctx.accountId, projectId, algorithmId, {
    name: change.name,
    parameters: change.algorithm_parameters,
  });
  return requireAlgorithm(row, projectId, algorithmId);
}
