import { randomBytes } from 'node:crypto';
import { endpoints } from '@tastegraph/contract';
import { accountNotFound } from '../accounts/create-account.ts';
import { datasetNotFound } from '../datasets/get-dataset.ts';
import { findDataset } from '../datasets/rows/datasets.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { insertApiKey } from './rows/api-keys.ts';
import { hashWriteSecret, randomText } from './secrets.ts';

export interface NewWriteKey {
  readonly name: string | null;
  readonly eventDatasetId: string;
  readonly userDatasetId: string | undefined;
}

/** Only a salted hash of the secret part is stored, so the write key cannot be shown again. */
export async function createWriteKey(
  db: Queryable,
  cell: string,
  accountId: string,
  { name, eventDatasetId, userDatasetId }: NewWriteKey,
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
  });
  if (!inserted) throw accountNotFound(accountId);
  return { api_key, write_key: `${api_key}_${secret}` };
}
