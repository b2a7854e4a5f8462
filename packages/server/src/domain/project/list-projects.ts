import { listProjects as listRows, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { listPage, type PageRequest } from '../pages.ts';

export async function listProjects<Item>(
  ctx: Context,
  request: PageRequest,
  present: (row: ProjectRow) => Item,
) {
  return listPage(
    request,
    (row) => row.project_key,
    present,
    (beforeKey, limit) => listRows(ctx.db, ctx.accountId, beforeKey, limit),
  );
}
