import { requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findProject, type ProjectRow } from './rows/projects.ts';

/** Inside a transaction, pass it as `db`: a second connection would read outside of its locks. */
export async function getProject(
  ctx: Context,
  projectId: string,
  db: Queryable = ctx.db,
): Promise<ProjectRow> {
  return requireProject(await findProject(db, ctx.accountId, projectId), projectId);
}

export const requireProject = (project: ProjectRow | undefined, projectId: string): ProjectRow =>
  requireFound(project, 'Project', projectId);

/** A project as the API returns it, without internal keys. */
export const showProject = (row: ProjectRow) => ({
  project_id: row.project_id,
  name: row.name,
  project_type: row.project_type,
  user_dataset_id: row.user_dataset_id,
  item_dataset_id: row.item_dataset_id,
  event_dataset_id: row.event_dataset_id,
  target_event_type: row.target_event_type,
  negative_event_types: row.negative_event_types,
  attribution_hours: row.attribution_hours,
  event_value_max: row.event_value_max,
  title_attribute: row.title_attribute,
  picture_attribute: row.picture_attribute,
  serving_uri: row.serving_uri,
  deployment: row.deployment,
  default: row.default,
});
