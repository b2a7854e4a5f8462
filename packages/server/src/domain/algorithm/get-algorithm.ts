import { type AlgorithmRow, findAlgorithm } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

/** The algorithm of the account's project, or NOT_FOUND. */
export async function getAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow> {
  return foundAlgorithm(await findAlgorithm(ctx.db, ctx.accountId, projectId, algorithmId));
}

export function foundAlgorithm(algorithm: AlgorithmRow | undefined): AlgorithmRow {
  if (!algorithm) throw notFound('algorithm');
  return algorithm;
}
