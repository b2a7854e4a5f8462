import type { AttributeKind, DatasetKind } from '@tastegraph/contract';
import { lockEventShards } from '../../storage/postgres/accounts.ts';
import { type DatasetRow, insertDataset } from '../../storage/postgres/datasets.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { newId } from '../ids.ts';

export interface NewDataset {
  readonly name: string;
  readonly num_shards: number;
  readonly attribute_schema?: Record<string, AttributeKind> | null;
}

export async function createDataset(
  ctx: Context,
  kind: DatasetKind,
  request: NewDataset,
): Promise<DatasetRow> {
  return ctx.db.transaction(async (tx) => {
    if (kind === 'event') {
      const { cap, used } = await lockEventShards(tx, ctx.accountId);
      if (used + request.num_shards > cap) {
        throw new Fault(
          'QUOTA_EXCEEDED',
          `The plan allows ${cap} shards over all event datasets; ${used} are used and ${request.num_shards} more were asked for. Ask for fewer, delete an event dataset, or have the plan raised.`,
        );
      }
    }
    return insertDataset(tx, ctx.accountId, {
      dataset_id: newId(`${kind}Dataset`),
      kind,
      name: request.name,
      num_shards: request.num_shards,
      attribute_schema: request.attribute_schema ?? null,
    });
  });
}
