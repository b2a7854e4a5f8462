import {
  deleteEventsBeforeTs,
  deleteItems,
  deleteUserEvents,
  deleteUsers,
  upsertEvents,
  upsertItems,
  upsertUsers,
} from '../schemas/record.ts';
import type { Operation } from './operation.ts';

const concept = 'Records';

export const recordOperations = {
  upsertDatasetUsers: {
    concept,
    summary: 'Insert or replace up to 1000 users',
    ...upsertUsers,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetItems: {
    concept,
    summary: 'Insert or replace up to 1000 items',
    ...upsertItems,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetEvents: {
    concept,
    summary: 'Insert or replace up to 1000 events',
    ...upsertEvents,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetUsers: {
    concept,
    summary: 'Delete up to 1000 users by id',
    ...deleteUsers,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetItems: {
    concept,
    summary: 'Delete up to 1000 items by id',
    ...deleteItems,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetUserEvents: {
    concept,
    summary: 'Delete all events of a user',
    ...deleteUserEvents,
    errors: ['NOT_FOUND'],
  },
  deleteDatasetEventsBeforeTs: {
    concept,
    summary: 'Delete events before a time',
    ...deleteEventsBeforeTs,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
