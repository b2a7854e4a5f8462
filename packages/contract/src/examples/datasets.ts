import type { datasetOperations } from '../operations/datasets.ts';
import { ids } from './bookshop.ts';
import type { Examples } from './example.ts';

const users = {
  name: 'Readers',
  num_shards: 10,
  attribute_schema: { age: 'NUMERICAL', country: 'CATEGORICAL' },
} as const;
const items = {
  name: 'Books',
  num_shards: 10,
  attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL' },
} as const;
const events = {
  name: 'Shop events',
  num_shards: 20,
  attribute_schema: null,
  retention_days: null,
} as const;

const emptyUsers = { user_dataset_id: ids.users, ...users, record_count: 0 };
const emptyItems = { item_dataset_id: ids.items, ...items, record_count: 0 };
const emptyEvents = { event_dataset_id: ids.events, ...events, record_count: 0 };
const filledUsers = { ...emptyUsers, record_count: 5000 };
const filledItems = { ...emptyItems, record_count: 1200 };
const filledEvents = { ...emptyEvents, record_count: 37_595 };

export const datasetExamples: Examples<keyof typeof datasetOperations> = {
  createUserDataset: { request: users, response: emptyUsers },
  getUserDataset: { request: { user_dataset_id: ids.users }, response: filledUsers },
  listUserDatasets: {
    request: {},
    response: { user_datasets: [filledUsers], next_page_token: null, message: null },
  },
  updateUserDataset: {
    request: { user_dataset_id: ids.users, name: 'Readers, Europe' },
    response: { ...filledUsers, name: 'Readers, Europe' },
  },
  deleteUserDataset: { request: { user_dataset_id: ids.users }, response: filledUsers },

  createItemDataset: { request: items, response: emptyItems },
  getItemDataset: { request: { item_dataset_id: ids.items }, response: filledItems },
  listItemDatasets: {
    request: {},
    response: { item_datasets: [filledItems], next_page_token: null, message: null },
  },
  updateItemDataset: {
    request: {
      item_dataset_id: ids.items,
      attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL', blurb: 'TEXT' },
    },
    response: {
      ...filledItems,
      attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL', blurb: 'TEXT' },
    },
  },
  deleteItemDataset: { request: { item_dataset_id: ids.items }, response: filledItems },

  createEventDataset: { request: events, response: emptyEvents },
  getEventDataset: { request: { event_dataset_id: ids.events }, response: filledEvents },
  listEventDatasets: {
    request: {},
    response: { event_datasets: [filledEvents], next_page_token: null, message: null },
  },
  updateEventDataset: {
    request: {
      event_dataset_id: ids.events,
      name: 'Shop events, last two years',
      attribute_schema: { duration: 'NUMERICAL' },
      retention_days: 730,
    },
    response: {
      ...filledEvents,
      name: 'Shop events, last two years',
      attribute_schema: { duration: 'NUMERICAL' },
      retention_days: 730,
    },
  },
  deleteEventDataset: { request: { event_dataset_id: ids.events }, response: filledEvents },
};
