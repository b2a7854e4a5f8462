import { deleteScenarioRow, type ScenarioRow } from '../../storage/postgres/scenarios.ts';
import type { Context } from '../context.ts';
import { requireScenario } from './get-scenario.ts';

/** Returns the deleted scenario. Calls that name it are refused from now on. */
export async function deleteScenario(ctx: Context, projectId: string, name: string): Promise<ScenarioRow> {
  const row = await deleteScenarioRow(ctx.db, ctx.accountId, projectId, name);
  return requireScenario(row, projectId, name);
}
