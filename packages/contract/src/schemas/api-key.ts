import Type from 'typebox';
import { Closed, Id, Name, Named, Nullable, NullableTs, PageQuery, Ts, text } from './fields.ts';

const Key = text(100, 'The API key. It starts with `tg_` and the name of the cell. It is not a secret.');

const Paths = (description: string) =>
  Type.Array(Type.String({ maxLength: 100, description: 'The path of an operation, such as `/get-job`.' }), {
    minItems: 1,
    maxItems: 1000,
    description,
  });

const keyFields = {
  api_key: Key,
  name: Nullable(Type.String(), {
    description: 'The display name of the key. Null for a key that was created without one.',
  }),
  operations: Nullable(Type.Array(Type.String()), {
    description: 'The paths of the operations that the key allows. Null means all.',
  }),
  event_dataset_id: Nullable(Type.String(), {
    description: 'For a write key: the event dataset that it writes to. Null for every other key.',
  }),
  user_dataset_id: Nullable(Type.String(), {
    description:
      'For a write key: the user dataset that it writes the traits of users to. Null if there is none, and for every other key.',
  }),
  created_ts: Ts('When the key was created'),
  revoked_ts: NullableTs('When the key was revoked', 'Null while it works.'),
  last_used_ts: NullableTs(
    'When the key was last used for a token or a call, to the minute',
    'Null if it was not used since this is recorded.',
  ),
};

export const ApiKey = Named('ApiKey', Closed(keyFields));

export const CreateApiKey = Closed({
  name: Name('key'),
  operations: Type.Optional(
    Paths(
      'The paths of the operations that the key allows. Without it, the key allows all operations, also future ones.',
    ),
  ),
});

export const CreatedApiKey = Named(
  'CreatedApiKey',
  Closed({
    ...keyFields,
    api_secret: Type.String({
      description: 'The secret of the key. It is not stored and cannot be shown again.',
    }),
  }),
);

export const CreateWriteKey = Closed({
  name: Name('key'),
  event_dataset_id: Id('eventDataset', 'The event dataset that the key writes to'),
  user_dataset_id: Type.Optional(
    Id(
      'userDataset',
      'The user dataset that the key writes the traits of users to',
      'Without it, calls of `identify` are ignored.',
    ),
  ),
});

export const CreatedWriteKey = Named(
  'CreatedWriteKey',
  Closed({
    ...keyFields,
    write_key: Type.String({
      description:
        'The key to send, as `Authorization: Bearer <write key>` or as the user name of HTTP Basic authentication. It begins with `api_key`. It is not stored and cannot be shown again.',
    }),
  }),
);

export const ListApiKeys = Closed(PageQuery);

export const UpdateApiKey = Closed({
  api_key: Key,
  name: Type.Optional(Name('key')),
  operations: Type.Optional(
    Paths('The paths of the operations that the key allows from now on. Without it, they stay as they are.'),
  ),
});

export const ApiKeyRef = Closed({ api_key: Key });
