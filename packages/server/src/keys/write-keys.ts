import { endpoints, segmentPaths } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Identity } from '../http/identity.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { KeyCache, type KeyCheckOptions } from './key-cache.ts';
import { listWriteKeys, type WriteKeyRow } from './rows.ts';
import { isWriteSecret, type SentWriteKey } from './secrets.ts';

/** With its salt and hash. */
const keyBytes = 700;
/** What a write key may call. */
const paths: ReadonlySet<string> = new Set([
  endpoints.upsertDatasetEvents[1],
  ...Object.values(segmentPaths),
]);
const noSalt = Buffer.alloc(16);
const noHash = Buffer.alloc(32);

/** Identifies senders by write key. Has its own cache: texts that look like a write key must not evict API keys of others. */
export class WriteKeys {
  readonly #onUse: (apiKey: string) => void;
  readonly #keys: KeyCache<WriteKeyRow>;

  constructor(db: Database, { cacheBytes, onUse }: KeyCheckOptions) {
    this.#onUse = onUse;
    this.#keys = new KeyCache(Math.ceil(cacheBytes / keyBytes), (apiKeys) => listWriteKeys(db, apiKeys));
  }

  /** `header` is the value of `APIKey`, which a load balancer may need. */
  async authenticate(
    { apiKey: callerId, secret }: SentWriteKey,
    header: string | undefined,
    operationPath: string,
  ): Promise<Identity> {
    const row = await this.#keys.find(callerId);
    // The secret is compared even if the key does not exist, so that the response time does not reveal which keys exist.
    const matches = isWriteSecret(secret, row?.secret_salt ?? noSalt, row?.secret_hash ?? noHash);
    if (!row || !matches)
      throw new ApiError(
        'UNAUTHENTICATED',
        'The write key is wrong or was revoked. Check that it is complete, or create a new one with /create-write-key.',
      );
    if (header !== undefined && header !== callerId)
      throw new ApiError(
        'UNAUTHENTICATED',
        'The header "APIKey" does not belong to the write key. Leave it out, or send the write key up to its last underscore.',
      );
    if (!paths.has(operationPath))
      throw new ApiError(
        'SCOPE_MISSING',
        `A write key only writes events, with ${endpoints.upsertDatasetEvents[1]}. To call ${operationPath}, use an API key and a token from /oauth/token.`,
      );
    this.#onUse(callerId);
    const { account_id: accountId, event_dataset_id, user_dataset_id } = row;
    return {
      accountId,
      callerId,
      mayCall: (path) => paths.has(path),
      writeScope: { eventDatasetId: event_dataset_id, userDatasetId: user_dataset_id },
    };
  }
}
