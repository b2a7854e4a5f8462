import { type AttributeKind, type DatasetKind, endpoints, limits, vectorLength } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { type ApiError, callNotAllowed, invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { datasetNotFound, getDataset } from './get-dataset.ts';
import { recordHandlers } from './records/api.ts';
import {
  type DatasetRow,
  datasetLockKey,
  insertDataset,
  listDatasets as listRows,
  markDatasetDeleted,
  updateDataset as updateRow,
} from './rows/datasets.ts';

/** A dataset as the API returns it, without its ID, whose name depends on the kind. */
const commonFields = <K extends AttributeKind>(row: DatasetRow) => ({
  name: row.name,
  num_shards: row.num_shards,
  // The schema of the request allowed only attribute kinds of this dataset kind.
  attribute_schema: row.attribute_schema as Record<string, K> | null,
  record_count: row.record_count,
});

type PlainKind = Extract<AttributeKind, 'NUMERICAL' | 'CATEGORICAL'>;
const userDataset = (row: DatasetRow) => ({
  user_dataset_id: row.dataset_id,
  ...commonFields<PlainKind>(row),
});
const itemDataset = (row: DatasetRow) => ({
  item_dataset_id: row.dataset_id,
  ...commonFields<AttributeKind>(row),
});
const eventDataset = (row: DatasetRow) => ({
  event_dataset_id: row.dataset_id,
  ...commonFields<PlainKind>(row),
  retention_days: row.retention_days,
});

const datasetHandlers = {
  createUserDataset: async (call, request) => userDataset(await createDataset(call, 'user', request)),
  getUserDataset: async (call, request) =>
    userDataset(await getDataset(call, 'user', request.user_dataset_id)),
  listUserDatasets: async (call, request) => {
    const { items, ...page } = await listDatasets(call, 'user', request, userDataset);
    return { user_datasets: items, ...page };
  },
  updateUserDataset: async (call, { user_dataset_id, ...change }) =>
    userDataset(await updateDataset(call, 'user', user_dataset_id, change)),
  deleteUserDataset: async (call, request) =>
    userDataset(await deleteDataset(call, 'user', request.user_dataset_id)),

  // A pattern of the request allows only attribute kinds; TypeScript sees a string.
  createItemDataset: async (call, request) =>
    itemDataset(await createDataset(call, 'item', request as NewDataset)),
  getItemDataset: async (call, request) =>
    itemDataset(await getDataset(call, 'item', request.item_dataset_id)),
  listItemDatasets: async (call, request) => {
    const { items, ...page } = await listDatasets(call, 'item', request, itemDataset);
    return { item_datasets: items, ...page };
  },
  updateItemDataset: async (call, { item_dataset_id, ...change }) =>
    itemDataset(await updateDataset(call, 'item', item_dataset_id, change as DatasetChange)),
  deleteItemDataset: async (call, request) =>
    itemDataset(await deleteDataset(call, 'item', request.item_dataset_id)),

  createEventDataset: async (call, request) => eventDataset(await createDataset(call, 'event', request)),
  getEventDataset: async (call, request) =>
    eventDataset(await getDataset(call, 'event', request.event_dataset_id)),
  listEventDatasets: async (call, request) => {
    const { items, ...page } = await listDatasets(call, 'event', request, eventDataset);
    return { event_datasets: items, ...page };
  },
  updateEventDataset: async (call, { event_dataset_id, ...change }) =>
    eventDataset(await updateDataset(call, 'event', event_dataset_id, change)),
  deleteEventDataset: async (call, request) =>
    eventDataset(await deleteDataset(call, 'event', request.event_dataset_id)),
} as const satisfies Handlers;

export const api = () => ({ ...datasetHandlers, ...recordHandlers });

interface NewDataset {
  readonly name: string;
  readonly num_shards: number;
  readonly attribute_schema?: Record<string, AttributeKind> | null;
  readonly retention_days?: number | null;
}

async function createDataset(ctx: Context, kind: DatasetKind, request: NewDataset): Promise<DatasetRow> {
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

async function listDatasets<Item>(
  ctx: Context,
  kind: DatasetKind,
  request: PageRequest,
  present: (row: DatasetRow) => Item,
) {
  return listPage(ctx, request, {
    name: `${kind} datasets`,
    rows: (bounds) => listRows(ctx.db, bounds, ctx.accountId, kind),
    keyOf: (row) => row.dataset_key,
    present,
  });
}

interface DatasetChange {
  readonly name?: string;
  /** At least the current number. */
  readonly num_shards?: number;
  /** Null makes the service infer every kind again. Absent leaves the schema unchanged. */
  readonly attribute_schema?: Record<string, AttributeKind> | null;
  /** Null keeps events until they are deleted. Absent leaves the retention unchanged. */
  readonly retention_days?: number | null;
}

/** Every upsert reads its dataset in its own transaction, so the next one of any process sees the change. */
async function updateDataset(
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
  return invalidField('num_shards', `cannot be lowered; it must be at least ${numShards}`);
}

/** Returns the deleted dataset, which no call finds any more. `purge.ts` deletes its records in the background. */
async function deleteDataset(ctx: Context, kind: DatasetKind, datasetId: string): Promise<DatasetRow> {
  return ctx.db.transaction(async (tx) => {
    // Exclusive: concurrent writes finish first and are purged with the rest; later writes no longer find the dataset.
    await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'exclusive');
    const dataset = await markDatasetDeleted(tx, ctx.accountId, kind, datasetId);
    if (!dataset) throw datasetNotFound(kind, datasetId);
    const needed = await ctx.hooks.neededBy(tx, { what: 'dataset', key: dataset.dataset_key });
    if (needed) throw needed;
    return dataset;
  });
}

/** Throws an ApiError for a schema with too many vectors. */
function checkAttributeSchema(schema: Readonly<Record<string, AttributeKind>> | null | undefined): void {
  const vectors = Object.values(schema ?? {}).filter((kind) => vectorLength(kind) !== undefined);
  if (vectors.length > limits.vectorAttributes)
    throw invalidField(
      'attribute_schema',
      `must have at most ${limits.vectorAttributes} attributes of kind VECTOR(n)`,
    );
}
