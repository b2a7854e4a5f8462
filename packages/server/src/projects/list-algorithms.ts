import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject } from './get-project.ts';
import { type AlgorithmRow, listAlgorithms as listRows } from './rows/algorithms.ts';

export async function listAlgorithms<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: AlgorithmRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `algorithms ${projectId}`,
    rows: (bounds) => listRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.algorithm_key,
    present,
  });
}
