import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject } from '../projects/get-project.ts';
import { type JobFilter, type ListedJobRow, listJobs as listRows } from './rows/jobs.ts';

export async function listJobs<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest & JobFilter,
  present: (row: ListedJobRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `jobs ${projectId}`,
    rows: (bounds) => listRows(ctx.db, project_key, request, bounds),
    keyOf: (row) => row.job_key,
    present,
  });
}
