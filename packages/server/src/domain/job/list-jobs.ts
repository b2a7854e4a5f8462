import { type JobFilter, type JobRow, listJobs as listRows } from '../../storage/postgres/jobs.ts';
import type { Context } from '../context.ts';
import { listPage, type PageRequest } from '../pages.ts';
import { getProject } from '../project/get-project.ts';

export async function listJobs<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest & JobFilter,
  present: (row: JobRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(
    request,
    (row) => row.job_key,
    present,
    (beforeKey, limit) => listRows(ctx.db, project_key, request, beforeKey, limit),
  );
}
