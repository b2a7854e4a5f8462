import { updateApiKeyOperations, updateApiKeyRevoked } from '../../storage/postgres/api-keys.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import { notFound } from '../fault.ts';
import { parseOperations } from './operations.ts';

/** From now on the key gets tokens for these operations only; tokens it has are held to it too. */
export async function limitKey(
  db: Queryable,
  apiKey: string,
  operations: readonly string[] | null,
): Promise<void> {
  if (!(await updateApiKeyOperations(db, apiKey, parseOperations(operations))))
    throw notFound(`key as "${apiKey}"`);
}

/** The key and all its tokens stop working, in every process, within `keyCacheMs`. */
export async function revokeKey(db: Queryable, apiKey: string): Promise<void> {
  if (!(await updateApiKeyRevoked(db, apiKey))) throw notFound(`key as "${apiKey}"`);
}
