import type { DatasetKind } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { type DatasetRow, listDatasets as listRows } from './rows/datasets.ts';

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
