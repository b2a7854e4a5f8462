import type { Context } from '../http/context.ts';
import { getProject } from './get-project.ts';
import { deleteDeployment } from './rows/deployments.ts';

/**
 * Recommendation calls that start after this returns are refused until a model is deployed. Idempotent. Does not cancel a
 * running deployment job, which still deploys when it finishes.
 */
export async function shutdownDeployment(ctx: Context, projectId: string): Promise<{ project_id: string }> {
  const { project_id } = await getProject(ctx, projectId);
  await deleteDeployment(ctx.db, ctx.accountId, project_id);
  return { project_id };
}
