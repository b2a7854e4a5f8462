import { deleteProjectRow, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { foundProject } from './get-project.ts';

/** With its algorithms; the datasets stay. Answers the project as it last was. */
export async function deleteProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return foundProject(await deleteProjectRow(ctx.db, ctx.accountId, projectId));
}
