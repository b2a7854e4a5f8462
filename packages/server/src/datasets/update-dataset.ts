import { type AttributeKind, type DatasetKind, endpoints } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { ApiError, callNotAllowed } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { checkAttributeSchema } from './check-attribute-schema.ts';
import { datasetNotFound, getDataset } from './get-dataset.ts';
import { type DatasetRow, updateDataset as updateRow } from './rows/datasets.ts';

export interface DatasetChange {
  readonly name?: string;
  /** At least the current number. */
  readonly num_shards?: number;
  /** Null makes the service infer every kind again. Absent leaves the schema unchanged. */
  readonly attribute_schema?: Record<string, AttributeKind> | null;
  /** Null keeps events until they are deleted. Absent leaves the retention unchanged. */
  readonly retention_days?: number | null;
}

/** Every upsert reads its dataset in its own transaction, so the next one of any process sees the change. */
export async function updateDataset(
  ctx: Context,
  kind: DatasetKind,
  datasetId: string,
  change: DatasetChange,
): Promise<DatasetRow> {
  checkAttributeSchema(change.attribute_schema);
  if (typeof change.retention_days === 'number') requireDeletion(ctx);
  return ctx.db.transaction(async (tx) => {
    if (change.num_shards !== undefined) await checkNumShards(ctx, tx, kind, datasetId, change.num_shards);
    const dataset = await updateRow(tx, ctx.accountId, kind, datasetId, {
      name: change.name,
      numShards: change.num_shards,
      attributeSchema: change.attribute_schema,
      retentionDays: change.retention_days,
    });
    if (!dataset) throw datasetNotFound(kind, datasetId);
    if (change.num_shards !== undefined && dataset.num_shards > change.num_shards)
      throw loweredShardsError(dataset.num_shards);
    return dataset;
  });
}

/** A retention deletes events that are there already. That of a new dataset does not. */
function requireDeletion(ctx: Context): void {
  const [, path] = endpoints.deleteDatasetEventsBeforeTs;
  if (!ctx.mayCall(path)) throw callNotAllowed(path);
}

async function checkNumShards(
  ctx: Context,
  tx: Transaction,
  kind: DatasetKind,
  datasetId: string,
  numShards: number,
): Promise<void> {
  const { num_shards: current } = await getDataset(ctx, kind, datasetId, tx);
  if (numShards < current) throw loweredShardsError(current);
  if (numShards === current) return;
  await enforcePlanCap(tx, ctx.accountId, `${kind}_shards`, async () => {
    // Read again under the account's lock: another call may have raised num_shards meanwhile.
    const latest = await getDataset(ctx, kind, datasetId, tx);
    return numShards - latest.num_shards;
  });
}

function loweredShardsError(numShards: number): ApiError {
  const message = `cannot be lowered; it must be at least ${numShards}`;
  return new ApiError('INVALID_REQUEST', `num_shards ${message}.`, {
    errors: [{ path: 'num_shards', message }],
  });
}
