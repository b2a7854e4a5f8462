import type { AttributeKind } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { createDataset, type NewDataset } from './create-dataset.ts';
import { deleteDataset } from './delete-dataset.ts';
import { getDataset } from './get-dataset.ts';
import { listDatasets } from './list-datasets.ts';
import { recordHandlers } from './records/api.ts';
import { type DatasetChange, updateDataset } from './update-dataset.ts';

type DatasetRow = Awaited<ReturnType<typeof getDataset>>;

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
