import { findProject, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';
import { isId } from '../ids.ts';

/** The account's project, or NOT_FOUND. */
export async function getProject(ctx: Context, projectId: string): Promise<ProjectRow> {
  return foundProject(projectId, () => findProject(ctx.db, ctx.accountId, projectId));
}

/** What `find` finds, or NOT_FOUND; it is not asked for an id that cannot be one of ours. */
export async function foundProject(
  projectId: string,
  find: () => Promise<ProjectRow | undefined>,
): Promise<ProjectRow> {
  const project = isId('project', projectId) ? await find() : undefined;
  if (!project) throw notFound('project');
  return project;
}
