import type { AttributeKind, DatasetKind } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { checkAttributeSchema } from './check-attribute-schema.ts';
import { type DatasetRow, insertDataset } from './rows/datasets.ts';

export interface NewDataset {
  readonly name: string;
  readonly num_shards: number;
  readonly attribute_schema?: Record<string, AttributeKind> | null;
  readonly retention_days?: number | null;
}

export async function createDataset(
  ctx: Context,
  kind: DatasetKind,
  request: NewDataset,
): Promise<DatasetRow> {
  checkAttributeSchema(request.attribute_schema);
  return ctx.db.transaction(async (tx) => {
    await enforcePlanCap(tx, ctx.accountId, `${kind}_shards`, () => request.num_shards);
    return insertDataset(tx, ctx.accountId, {
      dataset_id: newId(`${kind}Dataset`),
      kind,
      name: request.name,
      num_shards: request.num_shards,
      attribute_schema: request.attribute_schema ?? null,
      retention_days: request.retention_days ?? null,
    });
  });
}
