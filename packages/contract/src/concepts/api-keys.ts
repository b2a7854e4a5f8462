import Type from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import {
  Closed,
  Id,
  Name,
  Named,
  NamedObject,
  Nullable,
  NullableTs,
  Page,
  PageQuery,
  Ts,
  text,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

export const TokenRequest = Named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.Optional(
      Type.Literal('client_credentials', {
        description: 'The grant type. Only `client_credentials` is supported.',
      }),
    ),
    client_id: Type.String({ description: 'The API key.' }),
    client_secret: Type.String({
      description: 'The secret of the API key, which is shown once when the key is created.',
    }),
    scope: Type.String({
      description:
        'The paths of the operations to allow, separated by spaces, such as `/upsert-dataset-events /get-job`.',
    }),
  }),
);

export const TokenResponse = NamedObject('TokenResponse', {
  access_token: Type.String({
    description: 'The token. Send it in the header `Authorization: Bearer <token>`.',
  }),
  token_type: Type.Literal('Bearer', { description: 'The type of the token.' }),
  expires_in: Type.Integer({ description: 'The lifetime of the token in seconds.' }),
  scope: Type.String({ description: 'The paths of the operations that the token allows.' }),
});

/** The token endpoint returns the errors of RFC 6749, section 5.2. */
export const TokenError = Named(
  'TokenError',
  Type.Object({
    error: Type.Enum(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'], {
      description: 'The error code, as defined in RFC 6749, section 5.2.',
    }),
    error_description: Type.String({ description: 'What is wrong, in words.' }),
  }),
);

export const Jwks = NamedObject('Jwks', {
  keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
    description: 'The public keys, as JSON Web Keys (RFC 7517).',
  }),
});

export const tokenExample = {
  request: {
    grant_type: 'client_credentials',
    client_id: 'tg_main_4Qm8vT2xKc6RzB1nWy7JpL0d',
    client_secret: 'the secret that was shown once',
    scope: '/upsert-dataset-events /recommend-items-to-user',
  },
  response: {
    access_token: 'eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ…',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: '/upsert-dataset-events /recommend-items-to-user',
  },
} as const;

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
  created_by: Nullable(Type.String(), {
    description: 'The ID of the person, or the API key, that created the key. Null if the operator did.',
  }),
  created_ts: Ts('When the key was created'),
  revoked_ts: NullableTs('When the key was revoked', 'Null while it works.'),
  last_used_ts: NullableTs(
    'When the key was last used for a token or a call, to the minute',
    'Null if it was not used since this is recorded.',
  ),
};

export const ApiKey = NamedObject('ApiKey', keyFields);

const CreateApiKey = Closed({
  name: Name('key'),
  operations: Type.Optional(
    Paths(
      'The paths of the operations that the key allows. Without it, the key allows all operations, also future ones.',
    ),
  ),
});

const CreatedApiKey = NamedObject('CreatedApiKey', {
  ...keyFields,
  api_secret: Type.String({
    description: 'The secret of the key. It is not stored and cannot be shown again.',
  }),
});

const CreateWriteKey = Closed({
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

const CreatedWriteKey = NamedObject('CreatedWriteKey', {
  ...keyFields,
  write_key: Type.String({
    description:
      'The key to send, as `Authorization: Bearer <write key>` or as the user name of HTTP Basic authentication. It begins with `api_key`. It is not stored and cannot be shown again.',
  }),
});

const UpdateApiKey = Closed({
  api_key: Key,
  name: Type.Optional(Name('key')),
  operations: Type.Optional(
    Paths('The paths of the operations that the key allows from now on. Without it, they stay as they are.'),
  ),
});

const ApiKeyRef = Closed({ api_key: Key });

const changeable = 'You can only change a key that allows nothing that you may not call yourself.';

const grantable =
  'You can only give a key operations that you may call yourself: a person those of their role, an API key those that it allows.';

const operations = {
  createApiKey: {
    summary: 'Create an API key',
    description: `Returns the secret, which is shown only this once. ${grantable} An account has at most ${limits.apiKeysPerAccount} keys that are not revoked.`,
    request: CreateApiKey,
    response: CreatedApiKey,
    errors: ['QUOTA_EXCEEDED'],
  },
  createWriteKey: {
    summary: 'Create a write key, for senders that cannot fetch tokens',
    description: `Returns the write key, which is shown only this once. A sender sends it as it is, without a token. It can only call \`/upsert-dataset-events\`, for one event dataset, with the mode \`REPLACE\`, and the paths for Segment's clients, and reads nothing. Whoever has it can add events, and replace events whose IDs they know; with \`user_dataset_id\`, also create users and change the attributes of any user in that dataset. You must be allowed to call \`/upsert-dataset-events\` yourself, and with \`user_dataset_id\` also \`/upsert-dataset-users\`. The other operations on API keys list, rename and revoke it by its \`api_key\`. It counts toward the ${limits.apiKeysPerAccount} keys of an account.`,
    request: CreateWriteKey,
    response: CreatedWriteKey,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getApiKey: {
    summary: 'Get an API key',
    description: 'Without its secret.',
    request: ApiKeyRef,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
  listApiKeys: {
    summary: 'List the API keys of the account',
    description: 'Without their secrets. Revoked keys are listed too.',
    request: Closed(PageQuery),
    response: Page('api_keys', ApiKey),
    errors: [],
  },
  updateApiKey: {
    summary: 'Rename an API key, or change the operations that it allows',
    description: `New operations apply within two seconds, also to existing tokens. ${grantable} ${changeable} A write key can only be renamed. To let a key call all operations again, create a new one.`,
    request: UpdateApiKey,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
  revokeApiKey: {
    summary: 'Revoke an API key',
    description: `The key and its tokens stop working within two seconds. This cannot be undone. Revoking a revoked key changes nothing. ${changeable}`,
    request: ApiKeyRef,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

export const keyExample = {
  api_key: 'tg_main_4fK9sWq2Lr7Xc1Zv8Bn3Mt6P',
  name: 'Web shop',
  operations: ['/recommend-items-to-user', '/upsert-dataset-events'],
  event_dataset_id: null,
  user_dataset_id: null,
  created_by: ids.person,
  created_ts: morning,
  revoked_ts: null,
  last_used_ts: morning + 30 * minute,
};
const { api_key, name } = keyExample;

export const apiKeyOperations = defineOperations('API keys', operations, {
  createApiKey: {
    request: { name, operations: keyExample.operations },
    response: { ...keyExample, last_used_ts: null, api_secret: 'tgs_…' },
  },
  createWriteKey: {
    request: { name: 'Kafka', event_dataset_id: ids.events },
    response: {
      ...keyExample,
      api_key: 'tg_main_7Hd2pQx9Rk4Wm1Yc6Vn8Js3T',
      name: 'Kafka',
      operations: ['/upsert-dataset-events'],
      event_dataset_id: ids.events,
      last_used_ts: null,
      write_key: 'tg_main_7Hd2pQx9Rk4Wm1Yc6Vn8Js3T_…',
    },
  },
  getApiKey: { request: { api_key }, response: keyExample },
  listApiKeys: { request: {}, response: { api_keys: [keyExample], ...lastPage } },
  updateApiKey: {
    request: { api_key, operations: ['/recommend-items-to-user'] },
    response: { ...keyExample, operations: ['/recommend-items-to-user'] },
  },
  revokeApiKey: { request: { api_key }, response: { ...keyExample, revoked_ts: morning + 60 * minute } },
});
