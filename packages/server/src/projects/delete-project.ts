import type { Context } from '../http/context.ts';
import { requireProject } from './get-project.ts';
import { deleteProjectRow, lockProject, type ProjectRow } from './rows/projects.ts';

/** Also deletes its algorithms, jobs, models and deployment, but not the datasets. Returns the deleted project. */
export async function deleteProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return ctx.db.transaction(async (tx) => {
    // Locked first, so that the delete sees the model of a training that is published concurrently.
    await lockProject(tx, ctx.accountId, projectId);
    return requireProject(await deleteProjectRow(tx, ctx.accountId, projectId), projectId);
  });
}
