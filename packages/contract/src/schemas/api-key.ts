import Type from 'typebox';
import { Closed, Name, Named, Nullable, NullableTs, PageQuery, Ts, text } from './fields.ts';

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

export const ListApiKeys = Closed(PageQuery);

export const UpdateApiKey = Closed({
  api_key: Key,
  name: Type.Optional(Name('key')),
  operations: Type.Optional(
    Paths('The paths of the operations that the key allows from now on. Without it, they stay as they are.'),
  ),
});

export const ApiKeyRef = Closed({ api_key: Key });
