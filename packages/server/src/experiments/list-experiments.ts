import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject } from '../projects/get-project.ts';
import { type ExperimentRow, listExperimentRows } from './rows/experiments.ts';

export async function listExperiments<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ExperimentRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `experiments ${projectId}`,
    rows: (bounds) => listExperimentRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.experiment_key,
    present,
  });
}
