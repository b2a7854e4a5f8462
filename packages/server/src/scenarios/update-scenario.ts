import { limits } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { getScenario } from './get-scenario.ts';
import { type ScenarioRow, updateScenarioRow } from './rows.ts';

/** Replaces all settings, as a new version. The caller has checked them. */
export async function updateScenario(
  ctx: Context,
  projectId: string,
  {
    name,
    settings,
    version,
  }: Pick<ScenarioRow, 'name' | 'settings'> & { readonly version: number | undefined },
): Promise<ScenarioRow> {
  const row = await updateScenarioRow(ctx.db, ctx.accountId, projectId, {
    name,
    settings,
    expectedVersion: version,
    kept: limits.scenarioVersions,
  });
  if (row) return row;
  const current = await getScenario(ctx, projectId, name);
  throw new ApiError(
    'SCENARIO_CHANGED',
    `The current version of scenario \`${name}\` is ${current.version}. Read it with /get-scenario, apply your change to it and call again.`,
  );
}
