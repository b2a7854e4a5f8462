import { limits } from '../limits.ts';
import { eventDataset, itemDataset, userDataset } from '../schemas/dataset.ts';
import { Closed, Page, PageQuery } from '../schemas/fields.ts';
import type { Operation } from './operation.ts';

const concept = 'Datasets';
const listRequest = Closed(PageQuery);

export const datasetOperations = {
  createUserDataset: {
    concept,
    summary: 'Create a user dataset',
    description:
      "Each project uses one user dataset. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all user datasets.",
    request: userDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: userDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getUserDataset: {
    concept,
    summary: 'Get a user dataset',
    description: "Returns the dataset's settings and its number of records.",
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listUserDatasets: {
    concept,
    summary: "List the account's user datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('user_datasets', userDataset.Dataset),
    errors: [],
  },
  updateUserDataset: {
    concept,
    summary: 'Change the name, attribute schema or number of shards of a user dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A new attribute schema applies to records written from then on; existing records are not checked again.',
    request: userDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteUserDataset: {
    concept,
    summary: 'Delete a user dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its records cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: userDataset.Ref,
    response: userDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createItemDataset: {
    concept,
    summary: 'Create an item dataset',
    description:
      "Each project recommends the items of one item dataset. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all item datasets.",
    request: itemDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: itemDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getItemDataset: {
    concept,
    summary: 'Get an item dataset',
    description: "Returns the dataset's settings and its number of records.",
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listItemDatasets: {
    concept,
    summary: "List the account's item datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('item_datasets', itemDataset.Dataset),
    errors: [],
  },
  updateItemDataset: {
    concept,
    summary: 'Change the name, attribute schema or number of shards of an item dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema. A new attribute schema applies to records written from then on; existing records are not checked again.',
    request: itemDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteItemDataset: {
    concept,
    summary: 'Delete an item dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its records cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: itemDataset.Ref,
    response: itemDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },

  createEventDataset: {
    concept,
    summary: 'Create an event dataset',
    description:
      "Events of all types go into one dataset, which several projects can share. `num_shards` sets its capacity, at 100,000 records per shard. The account's plan caps the total number of shards of all event datasets.",
    request: eventDataset.Create,
    maxBodyBytes: limits.mediumBodyBytes,
    response: eventDataset.Dataset,
    errors: ['QUOTA_EXCEEDED'],
  },
  getEventDataset: {
    concept,
    summary: 'Get an event dataset',
    description: "Returns the dataset's settings and its number of events.",
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND'],
  },
  listEventDatasets: {
    concept,
    summary: "List the account's event datasets",
    description:
      'Returns the datasets, newest first. Without `page_size`, the response contains all of them, up to 10,000 and about 4 MiB.',
    request: listRequest,
    response: Page('event_datasets', eventDataset.Dataset),
    errors: [],
  },
  updateEventDataset: {
    concept,
    summary: 'Change the name, attribute schema, number of shards or retention of an event dataset',
    description:
      'Fields that you leave out keep their value; `attribute_schema: null` removes the schema, and `retention_days: null` the retention. A retention deletes events, so a caller who sets one must be allowed to call `/delete-dataset-events-before-ts`, too.',
    request: eventDataset.Update,
    maxBodyBytes: limits.mediumBodyBytes,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  deleteEventDataset: {
    concept,
    summary: 'Delete an event dataset and its records',
    description:
      'Returns the deleted dataset. From the next call on, its events cannot be read or used; a worker removes them from the database later. You cannot delete a dataset that a project uses.',
    request: eventDataset.Ref,
    response: eventDataset.Dataset,
    errors: ['NOT_FOUND', 'DATASET_IN_USE'],
  },
} as const satisfies Record<string, Operation>;
