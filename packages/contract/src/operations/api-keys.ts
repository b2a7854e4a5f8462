import { limits } from '../limits.ts';
import {
  ApiKey,
  ApiKeyRef,
  CreateApiKey,
  CreatedApiKey,
  CreatedWriteKey,
  CreateWriteKey,
  ListApiKeys,
  UpdateApiKey,
} from '../schemas/api-key.ts';
import { Page } from '../schemas/fields.ts';
import type { Operation } from './operation.ts';

const concept = 'API keys';
const grantable =
  'You can only give a key operations that you may call yourself: a person those of their role, an API key those that it allows.';

export const apiKeyOperations = {
  createApiKey: {
    concept,
    summary: 'Create an API key',
    description: `Returns the secret, which is shown only this once. ${grantable} An account has at most ${limits.apiKeysPerAccount} keys that are not revoked.`,
    request: CreateApiKey,
    response: CreatedApiKey,
    errors: ['QUOTA_EXCEEDED'],
  },
  createWriteKey: {
    concept,
    summary: 'Create a write key, for senders that cannot fetch tokens',
    description: `Returns the write key, which is shown only this once. A sender sends it as it is, without a token. It can only call \`/upsert-dataset-events\`, for one event dataset, with the mode \`REPLACE\`, and the paths for Segment's clients, and reads nothing. Whoever has it can add events, and replace events whose IDs they know; with \`user_dataset_id\`, also create users and change the attributes of any user in that dataset. You must be allowed to call \`/upsert-dataset-events\` yourself, and with \`user_dataset_id\` also \`/upsert-dataset-users\`. The other operations on API keys list, rename and revoke it by its \`api_key\`. It counts toward the ${limits.apiKeysPerAccount} keys of an account.`,
    request: CreateWriteKey,
    response: CreatedWriteKey,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getApiKey: {
    concept,
    summary: 'Get an API key',
    description: 'Without its secret.',
    request: ApiKeyRef,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
  listApiKeys: {
    concept,
    summary: 'List the API keys of the account',
    description: 'Without their secrets. Revoked keys are listed too.',
    request: ListApiKeys,
    response: Page('api_keys', ApiKey),
    errors: [],
  },
  updateApiKey: {
    concept,
    summary: 'Rename an API key, or change the operations that it allows',
    description: `New operations apply within two seconds, also to existing tokens. ${grantable} A write key can only be renamed. To let a key call all operations again, create a new one.`,
    request: UpdateApiKey,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
  revokeApiKey: {
    concept,
    summary: 'Revoke an API key',
    description:
      'The key and its tokens stop working within two seconds. This cannot be undone. Revoking a revoked key changes nothing.',
    request: ApiKeyRef,
    response: ApiKey,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
