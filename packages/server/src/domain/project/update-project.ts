import { type ProjectRow, updateProjectName } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { foundProject } from './get-project.ts';

export async function updateProject(ctx: Context, projectId: string, name: string): Promise<ProjectRow> {
  return foundProject(await updateProjectName(ctx.db, ctx.accountId, projectId, name));
}
