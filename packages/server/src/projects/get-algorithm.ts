import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { type AlgorithmRow, findAlgorithm } from './rows/algorithms.ts';

export async function getAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow> {
  return requireAlgorithm(
    await findAlgorithm(ctx.db, ctx.accountId, projectId, algorithmId),
    projectId,
    algorithmId,
  );
}

export function requireAlgorithm(
  algorithm: AlgorithmRow | undefined,
  projectId: string,
  algorithmId: string,
): AlgorithmRow {
  if (!algorithm) throw notFound('Algorithm', algorithmId, projectId);
  return algorithm;
}
