import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import type { Services } from '../services.ts';
import {
  createAccountKey,
  createAccountWriteKey,
  getAccountKey,
  listAccountKeys,
  revokeAccountKey,
  updateAccountKey,
} from './account-keys.ts';

type ApiKeyRow = Awaited<ReturnType<typeof revokeAccountKey>>;

const apiKey = (row: ApiKeyRow): Response<'revokeApiKey'> => ({
  api_key: row.api_key,
  name: row.name,
  operations: row.operations,
  event_dataset_id: row.event_dataset_id,
  user_dataset_id: row.user_dataset_id,
  created_ts: row.created_ts,
  revoked_ts: row.revoked_ts,
  last_used_ts: row.last_used_ts,
});

export const api = ({ config: { cell } }: Pick<Services, 'config'>) =>
  ({
    createApiKey: async (call, request) => {
      const { row, api_secret } = await createAccountKey(call, cell, request);
      return { ...apiKey(row), api_secret };
    },
    createWriteKey: async (call, { name, event_dataset_id, user_dataset_id }) => {
      const key = { name, eventDatasetId: event_dataset_id, userDatasetId: user_dataset_id };
      const { row, write_key } = await createAccountWriteKey(call, cell, key);
      return { ...apiKey(row), write_key };
    },
    getApiKey: async (call, { api_key }) => apiKey(await getAccountKey(call, api_key)),
    listApiKeys: async (call, request) => {
      const { items, ...page } = await listAccountKeys(call, request, apiKey);
      return { api_keys: items, ...page };
    },
    updateApiKey: async (call, { api_key, ...change }) =>
      apiKey(await updateAccountKey(call, api_key, change)),
    revokeApiKey: async (call, { api_key }) => apiKey(await revokeAccountKey(call, api_key)),
  }) as const satisfies Handlers;
