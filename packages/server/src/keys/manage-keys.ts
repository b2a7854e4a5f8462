import { parseOperations } from '../accounts/operations.ts';
import { ApiError } from '../http/api-error.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findApiKey, updateApiKeyOperations, updateApiKeyRevoked } from './rows/api-keys.ts';

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
