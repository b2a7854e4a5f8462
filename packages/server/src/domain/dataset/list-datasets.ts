import type { DatasetKind } from '@tastegraph/contract';
import { type DatasetRow, listDatasets as listRows } from '../../storage/postgres/datasets.ts';
import type { Context } from '../context.ts';
import { listPage, type PageRequest } from '../pages.ts';

export async function listDatasets<Item>(
  ctx: Context,
  kind: DatasetKind,
  request: PageRequest,
  present: (row: DatasetRow) => Item,
) {
  return listPage(ctx, request, {
    name: `${kind} datasets`,
    rows: (bounds) => listRows(ctx.db, ctx.accountId, kind, bounds),
    keyOf: (row) => row.dataset_key,
    present,
  });
}
