import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { findProject, type ProjectRow } from './rows/projects.ts';

export async function getProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return requireProject(await findProject(ctx.db, ctx.accountId, projectId), projectId);
}

export function requireProject(project: ProjectRow | undefined, projectId: string): ProjectRow {
  if (!project) throw notFound('Project', projectId);
  return project;
}
