import { eventDataset, itemDataset, userDataset } from '../schemas/dataset.ts';
import { Closed, Page, PageQuery } from '../schemas/fields.ts';
import type { Operation } from './operation.ts';

const concept = 'Datasets';
const listRequest = Closed(PageQuery);

export const datasetOperations = {
  createUserDataset: {
    concept,
    summary: 'Create a user dataset',
    request: userDataset.Create,
    response: userDataset.Dataset,
    errors: [],
  },
  getUserDataset: {
    concept,
    summary: 'Get a user dataset',
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listUserDatasets: {
    concept,
    summary: "List the account's user datasets",
    request: listRequest,
    response: Page('user_datasets', userDataset.Dataset),
    errors: [],
  },
  updateUserDataset: {
    concept,
    summary: 'Change the name or attribute schema of a user dataset',
    request: userDataset.Update,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  deleteUserDataset: {
    concept,
    summary: 'Delete a user dataset and its records',
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createItemDataset: {
    concept,
    summary: 'Create an item dataset',
    request: itemDataset.Create,
    response: itemDataset.Dataset,
    errors: [],
  },
  getItemDataset: {
    concept,
    summary: 'Get an item dataset',
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listItemDatasets: {
    concept,
    summary: "List the account's item datasets",
    request: listRequest,
    response: Page('item_datasets', itemDataset.Dataset),
    errors: [],
  },
  updateItemDataset: {
    concept,
    summary: 'Change the name or attribute schema of an item dataset',
    request: itemDataset.Update,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  deleteItemDataset: {
    concept,
    summary: 'Delete an item dataset and its records',
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createEventDataset: {
    concept,
    summary: 'Create an event dataset',
    request: eventDataset.Create,
    response: eventDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getEventDataset: {
    concept,
    summary: 'Get an event dataset',
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listEventDatasets: {
    concept,
    summary: "List the account's event datasets",
    request: listRequest,
    response: Page('event_datasets', eventDataset.Dataset),
    errors: [],
  },
  updateEventDataset: {
    concept,
    summary: 'Change the name or attribute schema of an event dataset',
    request: eventDataset.Update,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  deleteEventDataset: {
    concept,
    summary: 'Delete an event dataset and its records',
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },
} as const satisfies Record<string, Operation>;
