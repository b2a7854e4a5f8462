import { type AlgorithmRow, findAlgorithm } from '../../storage/postgres/algorithms.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';
import { isId } from '../ids.ts';

/** The algorithm of the account's project, or NOT_FOUND. */
export async function getAlgorithm(
  ctx: Context,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow> {
  return foundAlgorithm(projectId, algorithmId, () =>
    findAlgorithm(ctx.db, ctx.accountId, projectId, algorithmId),
  );
}

/** What `find` finds, or NOT_FOUND; it is not asked for ids that cannot be ours. */
export async function foundAlgorithm(
  projectId: string,
  algorithmId: string,
  find: () => Promise<AlgorithmRow | undefined>,
): Promise<AlgorithmRow> {
  const possible = isId('project', projectId) && isId('algorithm', algorithmId);
  const algorithm = possible ? await find() : undefined;
  if (!algorithm) throw notFound('algorithm');
  return algorithm;
}
