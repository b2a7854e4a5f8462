import { type AlgorithmRow, updateAlgorithmRow } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { foundAlgorithm } from './get-algorithm.ts';

export interface AlgorithmChange {
  readonly name?: string;
  /** Replaces all of them. */
  readonly algorithm_parameters?: Record<string, unknown>;
}

/** Models that were trained with the parameters before keep theirs. */
export async function updateAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
  change: AlgorithmChange,
): Promise<AlgorithmRow> {
  const row = await updateAlgorithmRow(ctx.db, ctx.accountId, projectId, algorithmId, {
    name: change.name,
    parameters: change.algorithm_parameters,
  });
  return foundAlgorithm(row);
}
