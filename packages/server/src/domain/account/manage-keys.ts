import { updateApiKeyOperations, updateApiKeyRevoked } from '../../storage/postgres/api-keys.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import { ApiError } from '../api-error.ts';
import { parseOperations } from './operations.ts';

/** Limits new tokens and, within `keyCacheMs`, the existing tokens of the key. */
export async function limitKey(
  db: Queryable,
  apiKey: string,
  operations: readonly string[] | null,
): Promise<void> {
  if (!(await updateApiKeyOperations(db, apiKey, parseOperations(operations)))) throw keyNotFound(apiKey);
}

/** The key and all its tokens stop working in every process within `keyCacheMs`. */
export async function revokeKey(db: Queryable, apiKey: string): Promise<void> {
  if (!(await updateApiKeyRevoked(db, apiKey))) throw keyNotFound(apiKey);
}

function keyNotFound(apiKey: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `API key "${apiKey}" does not exist. "admin list-keys" lists the keys of an account.`,
  );
}
