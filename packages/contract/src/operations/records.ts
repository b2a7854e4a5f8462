import { limits } from '../limits.ts';
import { FindItems, FoundItems } from '../schemas/item-search.ts';
import {
  deleteEventsBeforeTs,
  deleteItems,
  deleteUserEvents,
  deleteUsers,
  getEvent,
  getItem,
  getUser,
  listEvents,
  listItems,
  listUsers,
  upsertEvents,
  upsertItems,
  upsertUsers,
} from '../schemas/record.ts';
import type { Operation } from './operation.ts';

const concept = 'Records';

const listedById =
  'Returns the records in byte order of their IDs (UTF-8). A record that is written while you read the pages appears if its ID belongs on a later page.';

export const recordOperations = {
  upsertDatasetUsers: {
    concept,
    summary: 'Insert or update up to 1,000 users',
    description:
      'Each record succeeds or fails independently. All records that succeed are written in one transaction. The records in `succeed_ids` are durable and visible to the next call. It is safe to send a record again. If a call contains several records with the same ID, the last one wins; with `MERGE`, they are merged in order.',
    ...upsertUsers,
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetItems: {
    concept,
    summary: 'Insert or update up to 1,000 items',
    description:
      'Each record succeeds or fails independently. All records that succeed are written in one transaction. The records in `succeed_ids` are durable and visible to the next call: for example, filters use a changed price at once. It is safe to send a record again.',
    ...upsertItems,
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetEvents: {
    concept,
    summary: 'Insert or update up to 1,000 events',
    description:
      "Each event succeeds or fails independently. All events that succeed are written in one transaction. The events in `succeed_ids` are durable, and the user's next recommendations take them into account. It is safe to send an event again, because `event_id` identifies it. If your source has no unique ID, build one from `user_id`, `item_id`, `ts` and `event_type`.",
    ...upsertEvents,
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  getDatasetUser: {
    concept,
    summary: 'Get a user',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    ...getUser,
    errors: ['NOT_FOUND'],
  },
  getDatasetItem: {
    concept,
    summary: 'Get an item',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    ...getItem,
    errors: ['NOT_FOUND'],
  },
  getDatasetEvent: {
    concept,
    summary: 'Get an event',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    ...getEvent,
    errors: ['NOT_FOUND'],
  },
  listDatasetUsers: {
    concept,
    summary: 'List the users of a dataset, sorted by ID',
    description: listedById,
    ...listUsers,
    errors: ['NOT_FOUND'],
  },
  listDatasetItems: {
    concept,
    summary: 'List the items of a dataset, sorted by ID',
    description: listedById,
    ...listItems,
    errors: ['NOT_FOUND'],
  },
  listDatasetEvents: {
    concept,
    summary: "List a user's events, newest first",
    description:
      'Returns the events with `since_ts` <= `ts` < `until_ts`. Events with the same `ts` are ordered by `item_id`, `event_type` and `event_id`. An event that is written while you read the pages appears if it belongs on a later page.',
    ...listEvents,
    errors: ['NOT_FOUND'],
  },
  findItems: {
    concept,
    summary: 'Find items of a project by ID, by words or by a filter, and count them',
    description:
      'Items must satisfy everything that you pass: be one of `item_ids`, contain the words of `text` and match `filter_query`. Returns them as they are now, and how many there are in the whole dataset. Serving processes answer it from the copy of the items that they keep in memory for filters; until it is loaded, a large dataset is read as far as the time of the call allows, and `is_complete` is false. It needs no deployed model, and does not count toward `qps`.',
    request: FindItems,
    response: FoundItems,
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND'],
  },
  deleteDatasetUsers: {
    concept,
    summary: 'Delete up to 1,000 users by ID',
    description: "The users' events stay. Delete them with `/delete-dataset-user-events`.",
    ...deleteUsers,
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetItems: {
    concept,
    summary: 'Delete up to 1,000 items by ID',
    description:
      'From the next call on, deleted items are no longer recommended. The events with these items stay, and training still learns from them.',
    ...deleteItems,
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetUserEvents: {
    concept,
    summary: 'Delete all events of a user',
    description: "Returns when all of the user's events are deleted. If the call is interrupted, repeat it.",
    ...deleteUserEvents,
    errors: ['NOT_FOUND'],
  },
  deleteDatasetEventsBeforeTs: {
    concept,
    summary: 'Delete events before a time',
    description:
      'Deletes events with `start_ts` <= time < `ts`, and returns when they are deleted. To delete old events continuously, set `retention_days` of the dataset instead. If the call is interrupted, repeat it.',
    ...deleteEventsBeforeTs,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
