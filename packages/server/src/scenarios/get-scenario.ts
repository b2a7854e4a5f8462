import { requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { findScenario, type ScenarioRow } from './rows.ts';

/** The current version, or an earlier one that is still kept. */
export async function getScenario(
  ctx: Context,
  projectId: string,
  name: string,
  version?: number,
): Promise<ScenarioRow> {
  const row = await findScenario(ctx.db, ctx.accountId, projectId, name, version);
  return requireScenario(row, projectId, name);
}

export const requireScenario = (row: ScenarioRow | undefined, projectId: string, name: string): ScenarioRow =>
  requireFound(row, 'Scenario', name, projectId);
