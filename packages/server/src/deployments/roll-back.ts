import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { JobError, TransientJobError } from '../jobs/engine/job-error.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import { getProject } from '../projects/get-project.ts';
import { findPastModels } from '../projects/rows/deployments.ts';
import { lockDeployment, rollBackTo } from '../projects/rows/past-deployments.ts';
import type { ProjectRow } from '../projects/rows/projects.ts';
import { checkFiles, keysOf } from './check-files.ts';
import type { ModelPair } from './guard/protocol.ts';
import { tryForRollback } from './trials/try-on-servers.ts';

/**
 * Returns to the models before, once every serving process has loaded and tried them: until then, and if it fails, the current ones
 * serve. The next call on every process uses them. A running deployment job still deploys when it finishes.
 */
export async function rollBack(ctx: Context, store: ObjectStore, projectId: string): Promise<ProjectRow> {
  const { project_key, deployment: replaced } = await getProject(ctx, projectId);
  if (!replaced)
    throw new ApiError(
      'PROJECT_NOT_DEPLOYED',
      `Project \`${projectId}\` has no deployed model, so there is nothing to roll back. Deploy a model with /submit-deployment-job.`,
    );
  const past = await findPastModels(ctx.db, project_key);
  if (!past)
    throw new ApiError(
      'NO_EARLIER_DEPLOYMENT',
      `No other models were deployed in project \`${projectId}\` before, or they were deleted. Deploy another model with /submit-deployment-job.`,
    );
  await tryModels(ctx, store, project_key, past);
  return ctx.db.transaction(async (tx) => {
    await lockDeployment(tx, project_key);
    if (!(await rollBackTo(tx, project_key, past.past_key, replaced.deployed_ts)))
      throw new ApiError(
        'DEPLOYMENT_CHANGED',
        `Other models were deployed in project \`${projectId}\` while the rollback was tried, and they stay. Look at the deployment with /get-project before you roll back again.`,
      );
    const project = await getProject(ctx, projectId, tx);
    await ctx.hooks.announce(tx, ctx.accountId, 'deployment.rolled_back', {
      project_id: projectId,
      generator_model_id: past.generator.model_id,
      ranker_model_id: past.ranker?.model_id ?? null,
      replaced_generator_model_id: replaced.generator_model_id,
      replaced_ranker_model_id: replaced.ranker_model_id,
    });
    return project;
  });
}

/** As a deployment job does it. */
async function tryModels(
  { db }: Context,
  store: ObjectStore,
  projectKey: number,
  past: ModelPair,
): Promise<void> {
  try {
    await checkFiles(store, past);
    await tryForRollback(db, projectKey, keysOf(past));
  } catch (error) {
    if (error instanceof JobError)
      throw new ApiError('MODEL_UNFIT', `The current models stay deployed. ${error.message}`);
    if (error instanceof TransientJobError)
      throw new ApiError(
        'UNAVAILABLE',
        `The current models stay deployed. ${error.message} Those that are still loading continue: try again shortly.`,
        { retryAfterSeconds: 5, cause: error },
      );
    throw error;
  }
}
