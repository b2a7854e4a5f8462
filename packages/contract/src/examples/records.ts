import type { recordOperations } from '../operations/records.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const glassHorizon = {
  item_id: 'the-glass-horizon',
  attributes: {
    title: 'The Glass Horizon',
    genres: ['Science Fiction', 'Adventure'],
    price: 14.99,
    in_stock: true,
  },
};

const view = {
  event_id: `anna-the-glass-horizon-${morning}`,
  user_id: 'anna',
  item_id: 'the-glass-horizon',
  ts: morning,
  event_type: 'view',
  event_value: 1,
  attributes: {},
};

export const recordExamples: Examples<keyof typeof recordOperations> = {
  upsertDatasetUsers: {
    request: {
      user_dataset_id: ids.users,
      users: [
        { user_id: 'anna', attributes: { age: 34, country: 'DE' } },
        { user_id: 'ben', attributes: { age: 'unknown' } },
      ],
    },
    response: {
      user_dataset_id: ids.users,
      succeed_ids: ['anna'],
      failed_ids: ['ben'],
      failed_count: 1,
      failures: [{ index: 1, id: 'ben', code: 'ATTRIBUTE_TYPE', message: 'attributes.age must be a number' }],
    },
  },
  upsertDatasetItems: {
    request: {
      item_dataset_id: ids.items,
      items: [glassHorizon],
    },
    response: {
      item_dataset_id: ids.items,
      succeed_ids: ['the-glass-horizon'],
      failed_ids: [],
      failed_count: 0,
      failures: [],
    },
  },
  upsertDatasetEvents: {
    request: {
      event_dataset_id: ids.events,
      events: [
        {
          event_id: `anna-the-glass-horizon-${morning}`,
          user_id: 'anna',
          item_id: 'the-glass-horizon',
          ts: morning,
          event_type: 'view',
        },
        {
          event_id: `anna-the-glass-horizon-${morning + 4 * minute}`,
          user_id: 'anna',
          item_id: 'the-glass-horizon',
          ts: morning + 4 * minute,
          event_type: 'buy',
          event_value: 1,
          attributes: { device: 'phone' },
        },
      ],
    },
    response: {
      event_dataset_id: ids.events,
      succeed_ids: [`anna-the-glass-horizon-${morning}`, `anna-the-glass-horizon-${morning + 4 * minute}`],
      failed_ids: [],
      failed_count: 0,
      failures: [],
    },
  },
  getDatasetUser: {
    request: { user_dataset_id: ids.users, user_id: 'anna' },
    response: { user_id: 'anna', attributes: { age: 34, country: 'DE' } },
  },
  getDatasetItem: {
    request: { item_dataset_id: ids.items, item_id: 'the-glass-horizon' },
    response: glassHorizon,
  },
  getDatasetEvent: {
    request: { event_dataset_id: ids.events, event_id: `anna-the-glass-horizon-${morning}` },
    response: view,
  },
  listDatasetUsers: {
    request: { user_dataset_id: ids.users, page_size: 1 },
    response: {
      users: [{ user_id: 'anna', attributes: { age: 34, country: 'DE' } }],
      next_page_token: 'JpZ0S0w3x3RNSqBg1pN4m5sM2S6mXgk1tq2cVQvQZr1hV4Ew',
      message: null,
    },
  },
  listDatasetItems: {
    request: { item_dataset_id: ids.items, id_prefix: 'the-' },
    response: { items: [glassHorizon], next_page_token: null, message: null },
  },
  findItems: {
    request: {
      project_id: ids.project,
      text: 'horizon',
      text_attributes: ['title'],
      filter_query: 'item.price < 20.0',
      attributes: ['title'],
      limit: 5,
    },
    otherRequests: [{ project_id: ids.project, item_ids: ['the-glass-horizon'], attributes: ['title'] }],
    response: {
      project_id: ids.project,
      items: [{ item_id: 'the-glass-horizon', title: 'The Glass Horizon' }],
      match_count: 1,
      is_complete: true,
    },
  },
  listDatasetEvents: {
    request: {
      event_dataset_id: ids.events,
      user_id: 'anna',
      event_type: 'view',
      since_ts: morning,
      until_ts: morning + 60 * minute,
    },
    response: { events: [view], next_page_token: null, message: null },
  },
  deleteDatasetUsers: {
    request: { user_dataset_id: ids.users, ids: ['anna', 'nobody'] },
    response: { user_dataset_id: ids.users, deleted_ids: ['anna'] },
  },
  deleteDatasetItems: {
    request: { item_dataset_id: ids.items, ids: ['the-glass-horizon'] },
    response: { item_dataset_id: ids.items, deleted_ids: ['the-glass-horizon'] },
  },
  deleteDatasetUserEvents: {
    request: { event_dataset_id: ids.events, user_id: 'anna' },
    response: { event_dataset_id: ids.events, user_id: 'anna' },
  },
  deleteDatasetEventsBeforeTs: {
    request: { event_dataset_id: ids.events, ts: 1_704_067_200_000 },
    response: { event_dataset_id: ids.events, ts: 1_704_067_200_000 },
  },
};
