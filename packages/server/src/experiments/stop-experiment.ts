import { endpoints, limits } from '@tastegraph/contract';
import { ApiError, callNotAllowed, invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { requireProject } from '../projects/get-project.ts';
import { promoteModels } from '../projects/rows/deployments.ts';
import { lockDeployment } from '../projects/rows/past-deployments.ts';
import { findProject } from '../projects/rows/projects.ts';
import { updateScenarioRow } from '../scenarios/rows.ts';
import { getExperiment, requireExperiment } from './get-experiment.ts';
import {
  type ExperimentRow,
  findVariantModels,
  lockExperiment,
  stopExperimentRow,
} from './rows/experiments.ts';

/** From the next call on, all users get what is deployed, or the promoted variant. Can be repeated: it then changes nothing. */
export async function stopExperiment(
  ctx: Context,
  projectId: string,
  experimentId: string,
  promote: string | null,
): Promise<ExperimentRow> {
  await ctx.db.transaction(async (tx) => {
    const project = requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
    // In the order in which a deployment takes its locks.
    await lockDeployment(tx, project.project_key);
    const row = await lockExperiment(tx, ctx.accountId, projectId, experimentId);
    const experiment = requireExperiment(row, projectId, experimentId);
    if (experiment.stopped_ts !== null) {
      if (experiment.promoted === promote) return;
      throw new ApiError(
        'EXPERIMENT_STOPPED',
        `Experiment \`${experimentId}\` was already stopped. To deploy the model of a variant, call /submit-deployment-job; to use its settings, /update-scenario.`,
      );
    }
    if (promote !== null) await promoteVariant(ctx, tx, project.project_key, experiment, promote);
    await stopExperimentRow(tx, experiment.experiment_key, promote);
  });
  return getExperiment(ctx, projectId, experimentId);
}

async function promoteVariant(
  ctx: Context,
  tx: Queryable,
  projectKey: number,
  { experiment_key, project_id, scenario, variants }: ExperimentRow,
  name: string,
): Promise<void> {
  const variant = await findVariantModels(tx, experiment_key, name);
  if (!variant) {
    const names = variants.map((one) => `\`${one.name}\``).join(', ');
    throw invalidField('promote', `must be one of ${names}`);
  }
  const { model_key, ranker_model_key, settings } = variant;
  if (model_key !== null) {
    requireCall(ctx, 'submitDeploymentJob');
    // Serving processes have answered with these models, so no trial is needed.
    const models = { generator_model_key: model_key, ranker_model_key };
    if (!(await promoteModels(tx, projectKey, models)))
      throw new ApiError(
        'PROJECT_NOT_DEPLOYED',
        `Project \`${project_id}\` has no deployed model to replace. Deploy the model with /submit-deployment-job, and stop the experiment without promote.`,
      );
  }
  if (settings !== null) {
    requireCall(ctx, 'updateScenario');
    const change = { name: scenario, settings, expectedVersion: undefined, kept: limits.scenarioVersions };
    await updateScenarioRow(tx, ctx.accountId, project_id, change);
  }
}

function requireCall(ctx: Context, name: 'submitDeploymentJob' | 'updateScenario'): void {
  const [, path] = endpoints[name];
  if (!ctx.mayCall(path)) throw callNotAllowed(path);
}
