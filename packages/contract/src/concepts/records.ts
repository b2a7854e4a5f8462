import Type, { type TSchema } from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import { type FailureCode, failureCodes } from '../errors.ts';
import {
  AttributeName,
  Closed,
  EventId,
  EventType,
  Id,
  IdPrefix,
  ItemId,
  MapOf,
  Named,
  NamedObject,
  Natural,
  Page,
  RecordPageQuery,
  Ts,
  UserId,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** The value of an attribute of a user or an item. Null is the same as absent. */
export const AttributeValue = Named(
  'AttributeValue',
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Type.Array(Scalar)]),
);

const Attributes = Named(
  'Attributes',
  MapOf(AttributeValue, {
    propertyNames: AttributeName,
    default: {},
    description: 'The attributes, by name. An array of strings gives the attribute several values.',
  }),
);

const EventAttributes = Named(
  'EventAttributes',
  MapOf(Type.Unknown(), {
    default: {},
    description:
      'The attributes of the event, by name. They are stored, but neither checked against the attribute schema nor used in training.',
  }),
);

export const UserRecord = NamedObject('UserRecord', {
  user_id: UserId,
  attributes: Type.Optional(Attributes),
});

export const ItemRecord = NamedObject('ItemRecord', {
  item_id: ItemId,
  attributes: Type.Optional(Attributes),
});

const storedValue = {
  minimum: 0,
  description:
    'The weight of the event in training and recommendations, relative to other events of its type, such as a rating or the number of copies bought. An event with the value 0 has no weight, but if it is a target event, its item still counts as seen.',
};
const eventValue = { ...storedValue, maximum: limits.eventValueMax };

const RecommendationId = Id(
  'recommendation',
  'The ID of the response that led to the event',
  'The event is attributed to this response in `/get-outcomes` if the response recommended the item to the user, at most `attribution_hours` before. Otherwise, it is attributed to the last response that did, if any.',
);

const SentTs = Ts('When the event happened, at most 24 hours ahead of now');

export const EventRecord = NamedObject('EventRecord', {
  event_id: EventId,
  user_id: UserId,
  item_id: ItemId,
  ts: SentTs,
  event_type: EventType(),
  event_value: Type.Optional(Type.Number({ ...eventValue, default: 1 })),
  recommendation_id: Type.Optional(RecommendationId),
  attributes: Type.Optional(EventAttributes),
});

export const EventChange = NamedObject(
  'EventChange',
  {
    event_id: EventId,
    user_id: Type.Optional(UserId),
    item_id: Type.Optional(ItemId),
    ts: Type.Optional(SentTs),
    event_type: Type.Optional(EventType()),
    // Without a default: the value of an existing event stays as it is.
    event_value: Type.Optional(Type.Number(eventValue)),
    recommendation_id: Type.Optional(RecommendationId),
    attributes: Type.Optional(EventAttributes),
  },
  'An event in a call with `mode` `MERGE`. If the event exists, absent fields keep their value. A new event needs the required fields of `EventRecord`.',
);

export const AllowOldTs = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Whether to write events of January 1970. Otherwise, if the newest `ts` of a call looks like seconds, its events fail with `TIME_UNIT`.',
  }),
);

const mode = {
  mode: Type.Optional(
    Named(
      'UpsertMode',
      Type.Enum(['REPLACE', 'MERGE'], {
        default: 'REPLACE',
        description:
          'How to write a record that already exists. `REPLACE` replaces the whole record: fields and attributes that you leave out are removed. `MERGE` changes only what you send: it sets the attributes that you send, removes those that you send as null, and keeps the rest.',
      }),
    ),
  ),
};

/**
 * An array whose elements succeed or fail independently. `x-records` names the ID field of an element: the server
 * checks the elements one by one instead of rejecting the call. `x-error-code` is the error code for too many elements.
 */
const Records = <T extends TSchema>(record: T, idField: string) =>
  Type.Array(record, {
    description: 'The records to write. Each one is checked, and succeeds or fails, independently.',
    maxItems: limits.recordsPerCall,
    'x-records': idField,
    'x-error-code': 'TOO_MANY_RECORDS',
  });

const RecordIds = <T extends TSchema>(id: T) =>
  Type.Array(id, {
    description: 'The IDs of the records to delete.',
    maxItems: limits.recordsPerCall,
    'x-error-code': 'TOO_MANY_RECORDS',
  });

const Failure = NamedObject('RecordFailure', {
  index: Natural('The index of the record in the request, starting at 0.'),
  id: Type.Optional(
    Type.String({
      description:
        'The ID of the record. An ID that was sent as a number is returned as text. Absent if the record has no ID.',
    }),
  ),
  code: Named(
    'FailureCode',
    Type.Enum(Object.keys(failureCodes) as FailureCode[], {
      description: 'Why the record failed. [Errors](errors.md#records-that-fail) explains each code.',
    }),
  ),
  message: Type.String({ description: 'What is wrong, and with which field.' }),
});

const upsertOutcome = {
  succeed_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that were written. They are durable and visible to the next call.',
  }),
  failed_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that were not written. `failures` says why.',
  }),
  failed_count: Natural('The number of records that were not written, including those without an ID.'),
  failures: Type.Array(Failure, { description: 'Why each record failed.' }),
};

/** Records as they are stored. Every field with a value is present, unlike in a request. */
const StoredUser = NamedObject('StoredUser', { user_id: UserId, attributes: Attributes });
const StoredItem = NamedObject('StoredItem', { item_id: ItemId, attributes: Attributes });
const StoredEvent = NamedObject('StoredEvent', {
  event_id: EventId,
  user_id: UserId,
  item_id: ItemId,
  ts: Ts('When the event happened'),
  event_type: EventType(),
  event_value: Type.Number(storedValue),
  recommendation_id: Type.Optional(RecommendationId),
  attributes: EventAttributes,
});

const recordsById = {
  id_prefix: Type.Optional(IdPrefix),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.sampledRecords,
      description:
        'Return this many records, picked at random, instead of a page. The other fields of a list are not allowed with it.',
    }),
  ),
  ...RecordPageQuery,
};

const deletedIds = {
  deleted_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that existed and were deleted.',
  }),
};

const UserEvents = Closed({ event_dataset_id: Id('eventDataset'), user_id: UserId });

const listedById =
  'Returns the records in byte order of their IDs (UTF-8). A record that is written while you read the pages appears if its ID belongs on a later page.';

const operations = {
  upsertDatasetUsers: {
    summary: 'Insert or update up to 1,000 users',
    description:
      'Each record succeeds or fails independently. All records that succeed are written in one transaction. The records in `succeed_ids` are durable and visible to the next call. It is safe to send a record again. If a call contains several records with the same ID, the last one wins; with `MERGE`, they are merged in order.',
    request: Closed({ user_dataset_id: Id('userDataset'), users: Records(UserRecord, 'user_id'), ...mode }),
    response: Closed({ user_dataset_id: Id('userDataset'), ...upsertOutcome }),
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetItems: {
    summary: 'Insert or update up to 1,000 items',
    description:
      'Each record succeeds or fails independently. All records that succeed are written in one transaction. The records in `succeed_ids` are durable and visible to the next call: for example, filters use a changed price at once. It is safe to send a record again.',
    request: Closed({ item_dataset_id: Id('itemDataset'), items: Records(ItemRecord, 'item_id'), ...mode }),
    response: Closed({ item_dataset_id: Id('itemDataset'), ...upsertOutcome }),
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  upsertDatasetEvents: {
    summary: 'Insert or update up to 1,000 events',
    description:
      "Each event succeeds or fails independently. All events that succeed are written in one transaction. The events in `succeed_ids` are durable, and the user's next recommendations take them into account. It is safe to send an event again, because `event_id` identifies it. If your source has no unique ID, build one from `user_id`, `item_id`, `ts` and `event_type`.",
    request: Closed({
      event_dataset_id: Id('eventDataset'),
      events: Records(Type.Union([EventRecord, EventChange]), 'event_id'),
      ...mode,
      allow_old_ts: AllowOldTs,
    }),
    response: Closed({ event_dataset_id: Id('eventDataset'), ...upsertOutcome }),
    maxBodyBytes: limits.bodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  getDatasetUser: {
    summary: 'Get a user',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    request: Closed({ user_dataset_id: Id('userDataset'), user_id: UserId }),
    response: StoredUser,
    errors: ['NOT_FOUND'],
  },
  getDatasetItem: {
    summary: 'Get an item',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    request: Closed({ item_dataset_id: Id('itemDataset'), item_id: ItemId }),
    response: StoredItem,
    errors: ['NOT_FOUND'],
  },
  getDatasetEvent: {
    summary: 'Get an event',
    description: 'Returns the record as it is stored. You can change it and send it back in an upsert.',
    request: Closed({ event_dataset_id: Id('eventDataset'), event_id: EventId }),
    response: StoredEvent,
    errors: ['NOT_FOUND'],
  },
  listDatasetUsers: {
    summary: 'List the users of a dataset, sorted by ID',
    description: listedById,
    request: Closed({ user_dataset_id: Id('userDataset'), ...recordsById }),
    response: Page('users', StoredUser, 'sorted by ID'),
    errors: ['NOT_FOUND'],
  },
  listDatasetItems: {
    summary: 'List the items of a dataset, sorted by ID',
    description: listedById,
    request: Closed({ item_dataset_id: Id('itemDataset'), ...recordsById }),
    response: Page('items', StoredItem, 'sorted by ID'),
    errors: ['NOT_FOUND'],
  },
  listDatasetEvents: {
    summary: "List a user's events, newest first",
    description:
      'Returns the events with `since_ts` <= `ts` < `until_ts`. Events with the same `ts` are ordered by `item_id`, `event_type` and `event_id`. An event that is written while you read the pages appears if it belongs on a later page.',
    request: Closed({
      event_dataset_id: Id('eventDataset'),
      user_id: UserId,
      event_type: Type.Optional(EventType('Return only events of this type.')),
      since_ts: Type.Optional(Ts('Return only events at or after this time')),
      until_ts: Type.Optional(Ts('Return only events before this time')),
      ...RecordPageQuery,
    }),
    response: Page('events', StoredEvent),
    errors: ['NOT_FOUND'],
  },
  deleteDatasetUsers: {
    summary: 'Delete up to 1,000 users by ID',
    description: "The users' events stay. Delete them with `/delete-dataset-user-events`.",
    request: Closed({ user_dataset_id: Id('userDataset'), ids: RecordIds(UserId) }),
    response: Closed({ user_dataset_id: Id('userDataset'), ...deletedIds }),
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetItems: {
    summary: 'Delete up to 1,000 items by ID',
    description:
      'From the next call on, deleted items are no longer recommended. The events with these items stay, and training still learns from them.',
    request: Closed({ item_dataset_id: Id('itemDataset'), ids: RecordIds(ItemId) }),
    response: Closed({ item_dataset_id: Id('itemDataset'), ...deletedIds }),
    maxBodyBytes: limits.mediumBodyBytes,
    errors: ['NOT_FOUND', 'TOO_MANY_RECORDS'],
  },
  deleteDatasetUserEvents: {
    summary: 'Delete all events of a user',
    description: "Returns when all of the user's events are deleted. If the call is interrupted, repeat it.",
    request: UserEvents,
    response: UserEvents,
    errors: ['NOT_FOUND'],
  },
  deleteDatasetEventsBeforeTs: {
    summary: 'Delete events before a time',
    description:
      'Deletes events with `start_ts` <= time < `ts`, and returns when they are deleted. To delete old events continuously, set `retention_days` of the dataset instead. If the call is interrupted, repeat it.',
    request: Closed({
      event_dataset_id: Id('eventDataset'),
      ts: Ts('Delete events before this time'),
      start_ts: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.tsMax,
          default: 0,
          description: 'Keep events before this time, in milliseconds since the Unix epoch (UTC).',
        }),
      ),
    }),
    response: Closed({
      event_dataset_id: Id('eventDataset'),
      ts: Ts('The time before which events were deleted'),
    }),
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

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

export const recordOperations = defineOperations('Records', operations, {
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
    request: { item_dataset_id: ids.items, items: [glassHorizon] },
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
    response: { items: [glassHorizon], ...lastPage },
  },
  listDatasetEvents: {
    request: {
      event_dataset_id: ids.events,
      user_id: 'anna',
      event_type: 'view',
      since_ts: morning,
      until_ts: morning + 60 * minute,
    },
    response: { events: [view], ...lastPage },
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
});
