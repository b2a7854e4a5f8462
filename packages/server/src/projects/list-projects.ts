import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { listProjects as listRows, type ProjectRow } from './rows/projects.ts';

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
