import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject } from '../projects/get-project.ts';
import { listScenarioRows, type ScenarioRow } from './rows.ts';

export async function listScenarios<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ScenarioRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `scenarios ${projectId}`,
    rows: (bounds) => listScenarioRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.scenario_key,
    present,
  });
}
