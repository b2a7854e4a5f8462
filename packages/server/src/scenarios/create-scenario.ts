import { limits } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { getProject } from '../projects/get-project.ts';
import { lockProject } from '../projects/rows/projects.ts';
import { countScenarios, insertScenario, type ScenarioRow } from './rows.ts';

/** The caller has checked the settings. */
export async function createScenario(
  ctx: Context,
  projectId: string,
  scenario: Pick<ScenarioRow, 'name' | 'question' | 'settings'>,
): Promise<ScenarioRow> {
  await getProject(ctx, projectId);
  return ctx.db.transaction(async (tx) => {
    // So that concurrent calls cannot both take the last place.
    await lockProject(tx, ctx.accountId, projectId);
    const row = await insertScenario(tx, ctx.accountId, projectId, scenario);
    if (!row) throw alreadyExists(scenario.name);
    if ((await countScenarios(tx, ctx.accountId, projectId)) > limits.scenariosPerProject)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `A project has at most ${limits.scenariosPerProject} scenarios. Delete those that you no longer need.`,
      );
    return row;
  });
}

function alreadyExists(name: string): ApiError {
  return new ApiError(
    'SCENARIO_EXISTS',
    `The project already has a scenario \`${name}\`. Change it with /update-scenario, or choose another name.`,
  );
}
