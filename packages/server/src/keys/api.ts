import { apiKeyPattern, limits, type Response } from '@tastegraph/contract';
import { operationPaths, parseOperations } from '../accounts/operations.ts';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { listKeyedPage } from '../http/pages.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import type { Services } from '../services.ts';
import { createKey, createWriteKey, operationsOfWriteKey } from './manage-keys.ts';
import {
  type ApiKeyRow,
  countApiKeys,
  findApiKey,
  type KeyPosition,
  listApiKeyPage,
  revokeApiKeyOf,
  updateApiKeyOf,
} from './rows.ts';

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

/** For an account's own people and keys. The operator's commands are in `manage-keys.ts`. */
export const api = ({ config: { cell } }: Pick<Services, 'config'>) =>
  ({
    createApiKey: async (call, { name, operations = null }) => {
      requireGrantable(call, parseOperations(operations));
      return addKey(call, (tx) => createKey(tx, cell, call.accountId, operations, name));
    },
    createWriteKey: async (call, { name, event_dataset_id, user_dataset_id }) => {
      const kinds = user_dataset_id === undefined ? ['event'] : ['event', 'user'];
      requireGrantable(
        call,
        kinds.map((kind) => `/upsert-dataset-${kind}s`),
      );
      const key = { name, eventDatasetId: event_dataset_id, userDatasetId: user_dataset_id };
      return addKey(call, (tx) => createWriteKey(tx, cell, call.accountId, key));
    },
    getApiKey: async (call, { api_key }) => apiKey(await getAccountKey(call, api_key)),
    listApiKeys: async (call, request) => {
      const { items, ...page } = await listKeyedPage(call, request, {
        name: 'api keys',
        start: ['infinity', ''] as KeyPosition,
        keyOf: (row: ApiKeyRow & { position_text: string }): KeyPosition => [row.position_text, row.api_key],
        present: apiKey,
        rows: (after, size) => listApiKeyPage(call.db, call.accountId, after, size),
      });
      return { api_keys: items, ...page };
    },
    updateApiKey: async (call, { api_key, ...change }) =>
      apiKey(await updateAccountKey(call, api_key, change)),
    /** The key and all its tokens stop working in every process within `keyCacheMs`. */
    revokeApiKey: async ({ db, accountId }, { api_key }) => {
      const row = await revokeApiKeyOf(db, accountId, api_key);
      if (!row) throw notFound('API key', api_key);
      return apiKey(row);
    },
  }) as const satisfies Handlers;

/** Creates a key if the account has room for one. Returns it with its secret. */
async function addKey<Created extends { readonly api_key: string }>(
  { db, accountId }: Context,
  create: (tx: Transaction) => Promise<Created>,
) {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    if ((await countApiKeys(tx, accountId)) >= limits.apiKeysPerAccount)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `An account has at most ${limits.apiKeysPerAccount} API keys that are not revoked. Revoke those that nobody uses.`,
      );
    const created = await create(tx);
    const row = await findApiKey(tx, created.api_key);
    if (!row) throw new Error('the key was not written');
    return { ...apiKey(row), ...created };
  });
}

async function getAccountKey({ db, accountId }: Context, apiKey: string): Promise<ApiKeyRow> {
  const row = await findApiKey(db, apiKey);
  if (row?.account_id !== accountId) throw notFound('API key', apiKey);
  return row;
}

async function updateAccountKey(
  ctx: Context,
  apiKey: string,
  { name, operations }: { name?: string; operations?: readonly string[] },
): Promise<ApiKeyRow> {
  const parsed = operations && parseOperations(operations);
  if (parsed) requireGrantable(ctx, parsed);
  const row = await updateApiKeyOf(ctx.db, ctx.accountId, apiKey, { name, operations: parsed ?? undefined });
  if (row) return row;
  // Throws if the account has no such key.
  await getAccountKey(ctx, apiKey);
  throw operationsOfWriteKey();
}

/** Nobody can give a key more than they have: otherwise a key would be a way to a higher role. Null means all operations. */
function requireGrantable({ mayCall, callerId }: Context, operations: readonly string[] | null): void {
  const denied = [...(operations ?? operationPaths)].find((path) => !mayCall(path));
  if (denied === undefined) return;
  const all = operations === null ? ' Without operations, the key would allow all of them.' : '';
  throw new RegExp(apiKeyPattern).test(callerId)
    ? new ApiError(
        'SCOPE_MISSING',
        `Your API key does not allow ${denied}, so it cannot give it to another key.${all} Leave it out of operations.`,
      )
    : new ApiError(
        'ROLE_MISSING',
        `Your role does not allow ${denied}, so you cannot give it to a key.${all} Leave it out of operations, or ask an owner of the account.`,
      );
}
