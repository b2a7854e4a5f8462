import type { Handlers } from '../../http/handlers.ts';
import { JsonText } from '../../kernel/lib/json-text.ts';
import { deleteEventsBeforeTs, deleteUserEvents, deleteUsersOrItems } from './delete-records.ts';
import { getEvent, getUserOrItem } from './get-record.ts';
import { listEvents, listUsersOrItems } from './list-records.ts';
import { eventJson, itemJson, userJson } from './record-json.ts';
import { upsertRecords } from './upsert-records.ts';

const pageJson = (key: string, { items, ...page }: Awaited<ReturnType<typeof listEvents>>) =>
  new JsonText(
    `{"${key}":[`,
    ...items.map((item, index) => (index === 0 ? item : `,${item}`)),
    `],${JSON.stringify(page).slice(1)}`,
  );

export const recordHandlers = {
  upsertDatasetUsers: async (call, { user_dataset_id, users, mode }) => ({
    user_dataset_id,
    ...(await upsertRecords(call, 'user', user_dataset_id, users, mode)),
  }),
  upsertDatasetItems: async (call, { item_dataset_id, items, mode }) => ({
    item_dataset_id,
    ...(await upsertRecords(call, 'item', item_dataset_id, items, mode)),
  }),
  upsertDatasetEvents: async (call, { event_dataset_id, events, mode }) => ({
    event_dataset_id,
    ...(await upsertRecords(call, 'event', event_dataset_id, events, mode)),
  }),
  getDatasetUser: async (call, { user_dataset_id, user_id }) =>
    new JsonText(userJson(await getUserOrItem(call, 'user', user_dataset_id, user_id))),
  getDatasetItem: async (call, { item_dataset_id, item_id }) =>
    new JsonText(itemJson(await getUserOrItem(call, 'item', item_dataset_id, item_id))),
  getDatasetEvent: async (call, { event_dataset_id, event_id }) =>
    new JsonText(eventJson(await getEvent(call, event_dataset_id, event_id))),
  listDatasetUsers: async (call, { user_dataset_id, ...request }) =>
    pageJson('users', await listUsersOrItems(call, 'user', user_dataset_id, request, userJson)),
  listDatasetItems: async (call, { item_dataset_id, ...request }) =>
    pageJson('items', await listUsersOrItems(call, 'item', item_dataset_id, request, itemJson)),
  listDatasetEvents: async (call, { event_dataset_id, ...request }) =>
    pageJson('events', await listEvents(call, event_dataset_id, request, eventJson)),
  deleteDatasetUsers: async (call, { user_dataset_id, ids }) => ({
    user_dataset_id,
    deleted_ids: await deleteUsersOrItems(call, 'user', user_dataset_id, ids),
  }),
  deleteDatasetItems: async (call, { item_dataset_id, ids }) => ({
    item_dataset_id,
    deleted_ids: await deleteUsersOrItems(call, 'item', item_dataset_id, ids),
  }),
  deleteDatasetUserEvents: async (call, { event_dataset_id, user_id }) => {
    await deleteUserEvents(call, event_dataset_id, user_id);
    return { event_dataset_id, user_id };
  },
  deleteDatasetEventsBeforeTs: async (call, { event_dataset_id, ts, start_ts = 0 }) => {
    await deleteEventsBeforeTs(call, event_dataset_id, ts, start_ts);
    return { event_dataset_id, ts };
  },
} as const satisfies Handlers;
