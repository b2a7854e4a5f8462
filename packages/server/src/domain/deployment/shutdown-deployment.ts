import { deleteDeployment } from '../../storage/postgres/deployments.ts';
import type { Context } from '../context.ts';
import { getProject } from '../project/get-project.ts';

/**
 * No recommendation call that begins after this is served, until something is deployed; asked again, it answers the same. A
 * deployment job under way is not touched, and deploys when it is done: who wants neither cancels it first.
 */
export async function shutdownDeployment(ctx: Context, projectId: string): Promise<{ project_id: string }> {
  const { project_id } = await getProject(ctx, projectId);
  await deleteDeployment(ctx.db, ctx.accountId, project_id);
  return { project_id };
}
