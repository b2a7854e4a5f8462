import { listProjects as listRows, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { listPage, type PageRequest } from '../pages.ts';

export async function listProjects<Item>(
  ctx: Context,
  request: PageRequest,
  present: (row: ProjectRow) => Item,
) {
  return listPage(ctx, request, {
    name: 'projects',
    rows: (bounds) => listRows(ctx.db, ctx.accountId, bounds),
    keyOf: (row) => row.project_key,
    present,
  });
}
