import {
  deleteEventsBeforeTs,
  deleteUserEvents,
  deleteUsersOrItems,
} from '../../domain/record/delete-records.ts';
import { upsertRecords } from '../../domain/record/upsert-records.ts';
import type { Handlers } from '../handlers.ts';

export const recordHandlers = {
  upsertDatasetUsers: async (call, { user_dataset_id, users }) => ({
    user_dataset_id,
    ...(await upsertRecords(call, 'user', user_dataset_id, users)),
  }),
  upsertDatasetItems: async (call, { item_dataset_id, items }) => ({
    item_dataset_id,
    ...(await upsertRecords(call, 'item', item_dataset_id, items)),
  }),
  upsertDatasetEvents: async (call, { event_dataset_id, events }) => ({
    event_dataset_id,
    ...(await upsertRecords(call, 'event', event_dataset_id, events)),
  }),
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
