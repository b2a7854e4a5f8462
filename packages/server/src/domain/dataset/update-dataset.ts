import type { AttributeKind, DatasetKind } from '@tastegraph/contract';
import { type DatasetRow, updateDataset as updateRow } from '../../storage/postgres/datasets.ts';
import type { Context } from '../context.ts';
import { notFound } from '../fault.ts';

export interface DatasetChange {
  readonly name?: string;
  /** Null lets the service infer every kind again; absent leaves it as it is. */
  readonly attribute_schema?: Record<string, AttributeKind> | null;
}

export async function updateDataset(
  ctx: Context,
  kind: DatasetKind,
  datasetId: string,
  change: DatasetChange,
): Promise<DatasetRow> {
  const dataset = await updateRow(ctx.db, ctx.accountId, kind, datasetId, {
    name: change.name,
    attributeSchema: change.attribute_schema,
  });
  if (!dataset) throw notFound(`${kind} dataset`);
  return dataset;
}
