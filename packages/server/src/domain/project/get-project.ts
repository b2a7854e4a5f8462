import { findProject, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

/** The account's project, or NOT_FOUND. */
export async function getProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return foundProject(await findProject(ctx.db, ctx.accountId, projectId));
}

export function foundProject(project: ProjectRow | undefined): ProjectRow {
  if (!project) throw notFound('project');
  return project;
}
