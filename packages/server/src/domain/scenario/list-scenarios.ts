import { listScenarioRows, type ScenarioRow } from '../../storage/postgres/scenarios.ts';
import type { Context } from '../context.ts';
import { listPage, type PageRequest } from '../pages.ts';
import { getProject } from '../project/get-project.ts';

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
