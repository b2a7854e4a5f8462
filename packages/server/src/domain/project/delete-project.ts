import { deleteProjectRow, lockProject, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { foundProject } from './get-project.ts';

/** With its algorithms, jobs, models and deployment; the datasets stay. Answers the project as it last was. */
export async function deleteProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return ctx.db.transaction(async (tx) => {
    // First, and by itself: the delete then sees the model of a training that was just being published.
    await lockProject(tx, ctx.accountId, projectId);
    return foundProject(await deleteProjectRow(tx, ctx.accountId, projectId));
  });
}
