import type { DatasetKind } from '@tastegraph/contract';
import { type DatasetRow, findDataset } from '../../storage/postgres/datasets.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

/** The account's dataset, or NOT_FOUND; inside a transaction when `db` is one. */
export async function getDataset(
  ctx: Context,
  kind: DatasetKind,
  datasetId: string,
  db: Queryable = ctx.db,
): Promise<DatasetRow> {
  const dataset = await findDataset(db, ctx.accountId, kind, datasetId);
  if (!dataset) throw notFound(`${kind} dataset`);
  return dataset;
}
