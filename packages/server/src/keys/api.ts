import { apiKeyPattern, limits } from '@tastegraph/contract';
import { operationPaths, parseOperations } from '../accounts/operations.ts';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { listKeyedPage } from '../http/pages.ts';
import type { Queryable, Transaction } from '../kernel/postgres/pool.ts';
import type { Services } from '../services.ts';
import { createKey, createWriteKey, operationsOfWriteKey, presentKey, writtenPaths } from './manage-keys.ts';
import {
  type ApiKeyRow,
  countApiKeys,
  findApiKey,
  type KeyPosition,
  listApiKeyPage,
  mayStillCall,
  revokeApiKeyOf,
  updateApiKeyOf,
} from './rows.ts';

/** For an account's own people and keys. The operator's commands are in `manage-keys.ts`. */
export const api = ({ config: { cell } }: Pick<Services, 'config'>) =>
  ({
    createApiKey: async (call, { name, operations = null }) => {
      requireGrantable(call, parseOperations(operations));
      return addKey(call, (tx) => createKey(tx, cell, call.accountId, operations, name, call.callerId));
    },
    createWriteKey: async (call, { name, event_dataset_id, user_dataset_id }) => {
      requireGrantable(call, writtenPaths(user_dataset_id !== undefined));
      const key = {
        name,
        eventDatasetId: event_dataset_id,
        userDatasetId: user_dataset_id,
        createdBy: call.callerId,
      };
      return addKey(call, (tx) => createWriteKey(tx, cell, call.accountId, key));
    },
    getApiKey: async (call, { api_key }) => presentKey(await getAccountKey(call, call.db, api_key)),
    listApiKeys: async (call, request) => {
      const { items, ...page } = await listKeyedPage(call, request, {
        name: 'api keys',
        start: ['infinity', ''] as KeyPosition,
        keyOf: (row: ApiKeyRow & { position_text: string }): KeyPosition => [row.position_text, row.api_key],
        present: presentKey,
        rows: (after, size) => listApiKeyPage(call.db, call.accountId, after, size),
      });
      return { api_keys: items, ...page };
    },
    updateApiKey: async (call, { api_key, name, operations }) => {
      const parsed = (operations && parseOperations(operations)) ?? undefined;
      if (parsed) requireGrantable(call, parsed);
      return changeKey(call, api_key, async (tx) => {
        const row = await updateApiKeyOf(tx, call.accountId, api_key, { name, operations: parsed });
        if (!row) throw operationsOfWriteKey();
        return row;
      });
    },
    /** The key and all its tokens stop working in every process within `keyCacheMs`. */
    revokeApiKey: async (call, { api_key }) =>
      changeKey(call, api_key, (tx) => revokeApiKeyOf(tx, call.accountId, api_key)),
  }) as const satisfies Handlers;

/** Creates a key if the account has room for one. Returns it with its secret. */
async function addKey<Created extends { readonly api_key: string }>(
  { db, accountId, callerId }: Context,
  create: (tx: Transaction) => Promise<Created>,
) {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    // Their session may be cached for moments more; a key would outlive it.
    if (!(await mayStillCall(tx, accountId, callerId)))
      throw new ApiError(
        'UNAUTHENTICATED',
        'You were removed from the account, or your API key was revoked.',
      );
    if ((await countApiKeys(tx, accountId)) >= limits.apiKeysPerAccount)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `An account has at most ${limits.apiKeysPerAccount} API keys that are not revoked. Revoke those that nobody uses.`,
      );
    const created = await create(tx);
    const row = await findApiKey(tx, created.api_key);
    if (!row) throw new Error('the key was not written');
    return { ...presentKey(row), ...created };
  });
}

async function getAccountKey({ accountId }: Context, db: Queryable, apiKey: string): Promise<ApiKeyRow> {
  const row = await findApiKey(db, apiKey);
  if (row?.account_id !== accountId) throw notFound('API key', apiKey);
  return row;
}

/** Changes a key that holds no more than the caller, who otherwise could take from others what they may not do themselves. */
async function changeKey(
  ctx: Context,
  apiKey: string,
  change: (tx: Transaction) => Promise<ApiKeyRow | undefined>,
) {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const { operations, event_dataset_id, user_dataset_id } = await getAccountKey(ctx, tx, apiKey);
    const held = event_dataset_id === null ? operations : writtenPaths(user_dataset_id !== null);
    const denied = findDenied(ctx, held);
    if (denied !== undefined)
      throw isKey(ctx)
        ? new ApiError(
            'SCOPE_MISSING',
            `Your API key does not allow ${denied}, so it cannot change a key that does.`,
          )
        : new ApiError(
            'ROLE_MISSING',
            `Your role does not allow ${denied}, so you cannot change a key that does. Ask an owner of the account.`,
          );
    const row = await change(tx);
    if (!row) throw notFound('API key', apiKey);
    return presentKey(row);
  });
}

const isKey = ({ callerId }: Context) => new RegExp(apiKeyPattern).test(callerId);

/** An operation that the caller may not call. Null means all. */
const findDenied = ({ mayCall }: Context, operations: readonly string[] | null) =>
  [...(operations ?? operationPaths)].find((path) => !mayCall(path));

/** Nobody can give a key more than they have: otherwise a key would be a way to a higher role. Null means all operations. */
function requireGrantable(ctx: Context, operations: readonly string[] | null): void {
  const denied = findDenied(ctx, operations);
  if (denied === undefined) return;
  const all = operations === null ? ' Without operations, the key would allow all of them.' : '';
  throw isKey(ctx)
    ? new ApiError(
        'SCOPE_MISSING',
        `Your API key does not allow ${denied}, so it cannot give it to another key.${all} Leave it out of operations.`,
      )
    : new ApiError(
        'ROLE_MISSING',
        `Your role does not allow ${denied}, so you cannot give it to a key.${all} Leave it out of operations, or ask an owner of the account.`,
      );
}
