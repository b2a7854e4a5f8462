import Type, { type TSchema } from 'typebox';
import { type FailureCode, failureCodes } from '../errors.ts';
import { limits } from '../limits.ts';
import { AttributeName, Closed, DeveloperId, EventType, Id, MapOf, Named, Ts } from './fields.ts';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** What an attribute of a user or an item may be. Null is the same as not there. */
export const AttributeValue = Named(
  'AttributeValue',
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Type.Array(Scalar)]),
);

const Attributes = MapOf(AttributeValue, {
  propertyNames: AttributeName,
  default: {},
  description: 'Attribute name to value; an array of strings is several categories.',
});

export const UserRecord = Named(
  'UserRecord',
  Closed({ user_id: DeveloperId, attributes: Type.Optional(Attributes) }),
);

export const ItemRecord = Named(
  'ItemRecord',
  Closed({ item_id: DeveloperId, attributes: Type.Optional(Attributes) }),
);

export const EventRecord = Named(
  'EventRecord',
  Closed({
    event_id: DeveloperId,
    user_id: DeveloperId,
    item_id: DeveloperId,
    ts: Ts,
    event_type: EventType,
    event_value: Type.Optional(
      Type.Number({ minimum: 0, default: 1, description: 'A larger number weighs more in training.' }),
    ),
    attributes: Type.Optional(
      MapOf(Type.Unknown(), { default: {}, description: 'Free; not checked against the schema.' }),
    ),
  }),
);

/**
 * An array whose elements stand or fall alone. `x-records` names the field that identifies one: the server
 * checks the elements one by one instead of refusing the call. `x-error-code` is what too many is answered with.
 */
const Records = <T extends TSchema>(record: T, idField: string) =>
  Type.Array(record, {
    maxItems: limits.recordsPerCall,
    'x-records': idField,
    'x-error-code': 'TOO_MANY_RECORDS',
  });

const RecordIds = Type.Array(DeveloperId, {
  maxItems: limits.recordsPerCall,
  'x-error-code': 'TOO_MANY_RECORDS',
});

const Failure = Named(
  'RecordFailure',
  Closed({
    index: Type.Integer({ minimum: 0, description: "The record's place in the request." }),
    id: Type.Optional(Type.String({ description: 'Absent when the record has no id that is a string.' })),
    code: Named('FailureCode', Type.Enum(Object.keys(failureCodes) as FailureCode[])),
    message: Type.String(),
  }),
);

const upsertOutcome = {
  succeed_ids: Type.Array(Type.String(), { description: 'Written, durable, visible to the next call.' }),
  failed_ids: Type.Array(Type.String()),
  failures: Type.Array(Failure, { description: 'Why each failed.' }),
};

export const upsertUsers = {
  request: Closed({ user_dataset_id: Id('userDataset'), users: Records(UserRecord, 'user_id') }),
  response: Closed({ user_dataset_id: Id('userDataset'), ...upsertOutcome }),
};

export const upsertItems = {
  request: Closed({ item_dataset_id: Id('itemDataset'), items: Records(ItemRecord, 'item_id') }),
  response: Closed({ item_dataset_id: Id('itemDataset'), ...upsertOutcome }),
};

export const upsertEvents = {
  request: Closed({ event_dataset_id: Id('eventDataset'), events: Records(EventRecord, 'event_id') }),
  response: Closed({ event_dataset_id: Id('eventDataset'), ...upsertOutcome }),
};

const deletedIds = { deleted_ids: Type.Array(Type.String(), { description: 'Those that were there.' }) };

export const deleteUsers = {
  request: Closed({ user_dataset_id: Id('userDataset'), ids: RecordIds }),
  response: Closed({ user_dataset_id: Id('userDataset'), ...deletedIds }),
};

export const deleteItems = {
  request: Closed({ item_dataset_id: Id('itemDataset'), ids: RecordIds }),
  response: Closed({ item_dataset_id: Id('itemDataset'), ...deletedIds }),
};

const UserEvents = Closed({ event_dataset_id: Id('eventDataset'), user_id: DeveloperId });

export const deleteUserEvents = { request: UserEvents, response: UserEvents };

export const deleteEventsBeforeTs = {
  request: Closed({
    event_dataset_id: Id('eventDataset'),
    ts: Type.Integer({ minimum: 0, maximum: limits.tsMax, description: 'Events before it are deleted.' }),
    start_ts: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.tsMax,
        default: 0,
        description: 'Events before it are not deleted.',
      }),
    ),
  }),
  response: Closed({ event_dataset_id: Id('eventDataset'), ts: Ts }),
};
