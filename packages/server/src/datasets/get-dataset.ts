import type { DatasetKind, JobData } from '@tastegraph/contract';
import { type ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { type DatasetRow, findDataset } from './rows/datasets.ts';

/** Pass a transaction as `db` to read inside it. */
export async function getDataset(
  ctx: Pick<Context, 'accountId' | 'db'>,
  kind: DatasetKind,
  datasetId: string,
  db: Queryable = ctx.db,
): Promise<DatasetRow> {
  const dataset = await findDataset(db, ctx.accountId, kind, datasetId);
  if (!dataset) throw datasetNotFound(kind, datasetId);
  return dataset;
}

const kindNames: Record<DatasetKind, string> = {
  user: 'User dataset',
  item: 'Item dataset',
  event: 'Event dataset',
};

export function datasetNotFound(kind: DatasetKind, datasetId: string, projectId?: string): ApiError {
  return notFound(kindNames[kind], datasetId, projectId);
}

type DatasetIds = Pick<JobData<'EXPORT'>, 'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id'>;

export interface NamedDataset {
  readonly kind: DatasetKind;
  readonly id: string;
}

/** The datasets that the request names: their kinds and IDs. */
export function namedDatasets(data: DatasetIds): NamedDataset[] {
  return [
    { kind: 'user' as const, id: data.user_dataset_id },
    { kind: 'item' as const, id: data.item_dataset_id },
    { kind: 'event' as const, id: data.event_dataset_id },
  ].flatMap(({ kind, id }) => (id === undefined ? [] : [{ kind, id }]));
}
