import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { requireProject } from './get-project.ts';
import { lockDeployment, rollbackToPast } from './rows/past-deployments.ts';
import { findProject, type ProjectRow } from './rows/projects.ts';

/** The next call on every process uses the models before. A running deployment job still deploys when it finishes. */
export async function rollbackDeployment(ctx: Context, projectId: string): Promise<ProjectRow> {
  return ctx.db.transaction(async (tx) => {
    const find = async () => requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
    await lockDeployment(tx, (await find()).project_key);
    const { project_key, deployment } = await find();
    if (!deployment)
      throw new ApiError(
        'PROJECT_NOT_DEPLOYED',
        `Project \`${projectId}\` has no deployed model, so there is nothing to roll back. Deploy a model with /submit-deployment-job.`,
      );
    if (!(await rollbackToPast(tx, project_key)))
      throw new ApiError(
        'NO_EARLIER_DEPLOYMENT',
        `No other models were deployed in project \`${projectId}\` before, or they were deleted. Deploy another model with /submit-deployment-job.`,
      );
    return find();
  });
}
