import Type, { type TSchema } from 'typebox';
import { type FailureCode, failureCodes } from '../errors.ts';
import { limits } from '../limits.ts';
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
  Page,
  RecordPageQuery,
  Ts,
  UserId,
} from './fields.ts';

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

export const UserRecord = Named(
  'UserRecord',
  Closed({ user_id: UserId, attributes: Type.Optional(Attributes) }),
);

export const ItemRecord = Named(
  'ItemRecord',
  Closed({ item_id: ItemId, attributes: Type.Optional(Attributes) }),
);

const eventValue = {
  minimum: 0,
  description:
    'The weight of the event in training and recommendations, relative to other events of its type, such as a rating or the number of copies bought. An event with the value 0 has no weight, but if it is a target event, its item still counts as seen.',
};

const RecommendationId = Id(
  'recommendation',
  'The ID of the response that led to the event',
  'The event is attributed to this response in `/get-outcomes`. Without it, the event is attributed to the last response that recommended the item to the user.',
);

export const EventRecord = Named(
  'EventRecord',
  Closed({
    event_id: EventId,
    user_id: UserId,
    item_id: ItemId,
    ts: Ts('When the event happened'),
    event_type: EventType(),
    event_value: Type.Optional(Type.Number({ ...eventValue, default: 1 })),
    recommendation_id: Type.Optional(RecommendationId),
    attributes: Type.Optional(EventAttributes),
  }),
);

export const EventChange = Named(
  'EventChange',
  Closed(
    {
      event_id: EventId,
      user_id: Type.Optional(UserId),
      item_id: Type.Optional(ItemId),
      ts: Type.Optional(Ts('When the event happened')),
      event_type: Type.Optional(EventType()),
      // Without a default: the value of an existing event stays as it is.
      event_value: Type.Optional(Type.Number(eventValue)),
      recommendation_id: Type.Optional(RecommendationId),
      attributes: Type.Optional(EventAttributes),
    },
    {
      description:
        'An event in a call with `mode` `MERGE`. If the event exists, absent fields keep their value. A new event needs the required fields of `EventRecord`.',
    },
  ),
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

const Failure = Named(
  'RecordFailure',
  Closed({
    index: Type.Integer({
      minimum: 0,
      description: 'The index of the record in the request, starting at 0.',
    }),
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
  }),
);

const upsertOutcome = {
  succeed_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that were written. They are durable and visible to the next call.',
  }),
  failed_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that were not written. `failures` says why.',
  }),
  failed_count: Type.Integer({
    minimum: 0,
    description: 'The number of records that were not written, including those without an ID.',
  }),
  failures: Type.Array(Failure, { description: 'Why each record failed.' }),
};

export const upsertUsers = {
  request: Closed({ user_dataset_id: Id('userDataset'), users: Records(UserRecord, 'user_id'), ...mode }),
  response: Closed({ user_dataset_id: Id('userDataset'), ...upsertOutcome }),
};

export const upsertItems = {
  request: Closed({ item_dataset_id: Id('itemDataset'), items: Records(ItemRecord, 'item_id'), ...mode }),
  response: Closed({ item_dataset_id: Id('itemDataset'), ...upsertOutcome }),
};

export const upsertEvents = {
  request: Closed({
    event_dataset_id: Id('eventDataset'),
    events: Records(Type.Union([EventRecord, EventChange]), 'event_id'),
    ...mode,
  }),
  response: Closed({ event_dataset_id: Id('eventDataset'), ...upsertOutcome }),
};

/** Records as they are stored. Every field with a value is present, unlike in a request. */
const StoredUser = Named('StoredUser', Closed({ user_id: UserId, attributes: Attributes }));
const StoredItem = Named('StoredItem', Closed({ item_id: ItemId, attributes: Attributes }));
const StoredEvent = Named(
  'StoredEvent',
  Closed({
    event_id: EventId,
    user_id: UserId,
    item_id: ItemId,
    ts: Ts('When the event happened'),
    event_type: EventType(),
    event_value: Type.Number(eventValue),
    recommendation_id: Type.Optional(RecommendationId),
    attributes: EventAttributes,
  }),
);

export const getUser = {
  request: Closed({ user_dataset_id: Id('userDataset'), user_id: UserId }),
  response: StoredUser,
};

export const getItem = {
  request: Closed({ item_dataset_id: Id('itemDataset'), item_id: ItemId }),
  response: StoredItem,
};

export const getEvent = {
  request: Closed({ event_dataset_id: Id('eventDataset'), event_id: EventId }),
  response: StoredEvent,
};

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

export const listUsers = {
  request: Closed({ user_dataset_id: Id('userDataset'), ...recordsById }),
  response: Page('users', StoredUser, 'sorted by ID'),
};

export const listItems = {
  request: Closed({ item_dataset_id: Id('itemDataset'), ...recordsById }),
  response: Page('items', StoredItem, 'sorted by ID'),
};

export const listEvents = {
  request: Closed({
    event_dataset_id: Id('eventDataset'),
    user_id: UserId,
    event_type: Type.Optional(EventType('Return only events of this type.')),
    since_ts: Type.Optional(Ts('Return only events at or after this time')),
    until_ts: Type.Optional(Ts('Return only events before this time')),
    ...RecordPageQuery,
  }),
  response: Page('events', StoredEvent),
};

const deletedIds = {
  deleted_ids: Type.Array(Type.String(), {
    description: 'The IDs of the records that existed and were deleted.',
  }),
};

export const deleteUsers = {
  request: Closed({ user_dataset_id: Id('userDataset'), ids: RecordIds(UserId) }),
  response: Closed({ user_dataset_id: Id('userDataset'), ...deletedIds }),
};

export const deleteItems = {
  request: Closed({ item_dataset_id: Id('itemDataset'), ids: RecordIds(ItemId) }),
  response: Closed({ item_dataset_id: Id('itemDataset'), ...deletedIds }),
};

const UserEvents = Closed({ event_dataset_id: Id('eventDataset'), user_id: UserId });

export const deleteUserEvents = { request: UserEvents, response: UserEvents };

export const deleteEventsBeforeTs = {
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
};
