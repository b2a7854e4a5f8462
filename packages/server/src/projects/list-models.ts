import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject } from './get-project.ts';
import { listModels as listRows, type ModelRow } from './rows/models.ts';

export async function listModels<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ModelRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `models ${projectId}`,
    rows: (bounds) => listRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.model_key,
    present,
  });
}
