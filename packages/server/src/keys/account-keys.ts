import { apiKeyPattern, limits } from '@tastegraph/contract';
import { operationPaths, parseOperations } from '../accounts/operations.ts';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { listKeyedPage, type PageRequest } from '../http/pages.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { createKey } from './create-key.ts';
import { createWriteKey, type NewWriteKey } from './create-write-key.ts';
import { operationsOfWriteKey } from './manage-keys.ts';
import {
  type ApiKeyRow,
  countApiKeys,
  findApiKey,
  type KeyPosition,
  listApiKeyPage,
  revokeApiKeyOf,
  updateApiKeyOf,
} from './rows/api-keys.ts';

/** For an account's own people and keys. The operator's commands are in `manage-keys.ts`. */
export async function createAccountKey(
  ctx: Context,
  cell: string,
  { name, operations }: { name: string; operations?: readonly string[] },
): Promise<{ row: ApiKeyRow; api_secret: string }> {
  const { db, accountId } = ctx;
  requireGrantable(ctx, parseOperations(operations ?? null));
  return db.transaction(async (tx) => {
    await requireRoom(tx, accountId);
    const { api_key, api_secret } = await createKey(tx, cell, accountId, operations ?? null, name);
    return { row: await readCreated(tx, api_key), api_secret };
  });
}

export async function createAccountWriteKey(
  ctx: Context,
  cell: string,
  key: NewWriteKey,
): Promise<{ row: ApiKeyRow; write_key: string }> {
  const { db, accountId } = ctx;
  const written = key.userDatasetId === undefined ? ['event'] : ['event', 'user'];
  requireGrantable(
    ctx,
    written.map((kind) => `/upsert-dataset-${kind}s`),
  );
  return db.transaction(async (tx) => {
    await requireRoom(tx, accountId);
    const { api_key, write_key } = await createWriteKey(tx, cell, accountId, key);
    return { row: await readCreated(tx, api_key), write_key };
  });
}

/** Locks the account. */
async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  if ((await countApiKeys(tx, accountId)) >= limits.apiKeysPerAccount)
    throw new ApiError(
      'QUOTA_EXCEEDED',
      `An account has at most ${limits.apiKeysPerAccount} API keys that are not revoked. Revoke those that nobody uses.`,
    );
}

async function readCreated(tx: Transaction, apiKey: string): Promise<ApiKeyRow> {
  const row = await findApiKey(tx, apiKey);
  if (!row) throw new Error('the key was not written');
  return row;
}

export async function getAccountKey({ db, accountId }: Context, apiKey: string): Promise<ApiKeyRow> {
  const row = await findApiKey(db, apiKey);
  if (row?.account_id !== accountId) throw notFound('API key', apiKey);
  return row;
}

export async function listAccountKeys<Item>(
  ctx: Context,
  request: PageRequest,
  present: (row: ApiKeyRow) => Item,
) {
  return listKeyedPage(ctx, request, {
    name: 'api keys',
    start: ['infinity', ''] as KeyPosition,
    tokenKeys: {
      encode: (position: KeyPosition) => Buffer.from(JSON.stringify(position)),
      decode: (bytes: Buffer) => JSON.parse(bytes.toString()) as KeyPosition,
    },
    keyOf: (row: ApiKeyRow & { position_text: string }): KeyPosition => [row.position_text, row.api_key],
    present,
    rows: (after, size) => listApiKeyPage(ctx.db, ctx.accountId, after, size),
  });
}

export async function updateAccountKey(
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

/** The key and all its tokens stop working in every process within `keyCacheMs`. */
export async function revokeAccountKey({ db, accountId }: Context, apiKey: string): Promise<ApiKeyRow> {
  const row = await revokeApiKeyOf(db, accountId, apiKey);
  if (!row) throw notFound('API key', apiKey);
  return row;
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
