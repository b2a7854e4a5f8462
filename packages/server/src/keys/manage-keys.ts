import { randomBytes } from 'node:crypto';
import { endpoints, type Response } from '@tastegraph/contract';
import { accountNotFound } from '../accounts/create-account.ts';
import { parseOperations } from '../accounts/operations.ts';
import { datasetNotFound } from '../datasets/get-dataset.ts';
import { findDataset } from '../datasets/rows/datasets.ts';
import { ApiError } from '../http/api-error.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  updateApiKeyOperations,
  updateApiKeyRevoked,
} from './rows.ts';
import { hashSecret, hashWriteSecret, randomText } from './secrets.ts';

/** Only a salted hash of the secret is stored, so it cannot be shown again. */
export async function createKey(
  db: Queryable,
  cell: string,
  accountId: string,
  operations: readonly string[] | null,
  name: string | null = null,
  createdBy: string | null = null,
): Promise<{ api_key: string; api_secret: string }> {
  const api_key = `tg_${cell}_${randomText(24)}`;
  const api_secret = `tgs_${randomText(43)}`;
  const secret_salt = randomBytes(16);
  const inserted = await insertApiKey(db, {
    api_key,
    account_id: accountId,
    secret_salt,
    secret_hash: hashSecret(api_secret, secret_salt),
    operations: parseOperations(operations),
    name,
    created_by: createdBy,
  });
  if (!inserted) throw accountNotFound(accountId);
  return { api_key, api_secret };
}

interface NewWriteKey {
  readonly name: string | null;
  readonly eventDatasetId: string;
  readonly userDatasetId: string | undefined;
  readonly createdBy?: string;
}

/** Only a salted hash of the secret part is stored, so the write key cannot be shown again. */
export async function createWriteKey(
  db: Queryable,
  cell: string,
  accountId: string,
  { name, eventDatasetId, userDatasetId, createdBy }: NewWriteKey,
): Promise<{ api_key: string; write_key: string }> {
  for (const [kind, datasetId] of [['event', eventDatasetId] as const, ['user', userDatasetId] as const])
    if (datasetId !== undefined && !(await findDataset(db, accountId, kind, datasetId)))
      throw datasetNotFound(kind, datasetId);
  const api_key = `tg_${cell}_${randomText(24)}`;
  const secret = randomText(43);
  const secret_salt = randomBytes(16);
  const inserted = await insertApiKey(db, {
    api_key,
    account_id: accountId,
    secret_salt,
    secret_hash: hashWriteSecret(secret, secret_salt),
    operations: [endpoints.upsertDatasetEvents[1]],
    name,
    event_dataset_id: eventDatasetId,
    user_dataset_id: userDatasetId ?? null,
    created_by: createdBy ?? null,
  });
  if (!inserted) throw accountNotFound(accountId);
  return { api_key, write_key: `${api_key}_${secret}` };
}

export const presentKey = (row: ApiKeyRow): Response<'getApiKey'> => ({
  api_key: row.api_key,
  name: row.name,
  operations: row.operations,
  event_dataset_id: row.event_dataset_id,
  user_dataset_id: row.user_dataset_id,
  created_by: row.created_by,
  created_ts: row.created_ts,
  revoked_ts: row.revoked_ts,
  last_used_ts: row.last_used_ts,
});

/** What a write key with these datasets does, as operations. */
export const writtenPaths = (writesUsers: boolean): string[] =>
  writesUsers
    ? [endpoints.upsertDatasetEvents[1], endpoints.upsertDatasetUsers[1]]
    : [endpoints.upsertDatasetEvents[1]];

/** Limits new tokens and, within `keyCacheMs`, the existing tokens of the key. */
export async function limitKey(
  db: Queryable,
  apiKey: string,
  operations: readonly string[] | null,
): Promise<void> {
  if (await updateApiKeyOperations(db, apiKey, parseOperations(operations))) return;
  throw (await findApiKey(db, apiKey)) ? operationsOfWriteKey() : keyNotFound(apiKey);
}

/** The key and all its tokens stop working in every process within `keyCacheMs`. */
export async function revokeKey(db: Queryable, apiKey: string): Promise<void> {
  if (!(await updateApiKeyRevoked(db, apiKey))) throw keyNotFound(apiKey);
}

export function operationsOfWriteKey(): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    'The operations of a write key cannot be changed: it only writes events. Create an API key with these operations instead.',
  );
}

function keyNotFound(apiKey: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `API key "${apiKey}" does not exist. "admin list-keys" lists the keys of an account.`,
  );
}
