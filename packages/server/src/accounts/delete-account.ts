import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../http/api-error.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { AccountContents, Counts } from './contents.ts';
import { accountNotFound } from './create-account.ts';
import { accountExists, lockAccount } from './rows/accounts.ts';
import { findAccountDeletion, insertAccountDeletion } from './rows/deletions.ts';

const pollMs = 500;
/** The operator waits at most this long; the deletion continues in the background. */
const maxWaitMs = 10 * 60_000;

interface DeletedAccount {
  readonly account_id: string;
  readonly status: 'DELETING' | 'DELETED';
  readonly requested_ts: number;
  readonly finished_ts: number | null;
  readonly removed: Counts;
}

/**
 * Deletes an account and all its data. Keys are revoked first, so calls stop within `keyCacheMs`; workers do the rest, even
 * after this process ends. A repeated call waits for the same deletion or returns its receipt.
 */
export async function deleteAccount(
  db: Database,
  contents: readonly AccountContents[],
  accountId: string,
  isConfirmed: boolean,
  print: (text: string) => void,
): Promise<DeletedAccount> {
  if (await accountExists(db, accountId)) {
    const counts: Record<string, number> = {};
    for (const { count } of contents) Object.assign(counts, await count?.(db, accountId));
    const list = Object.entries(counts)
      .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
      .join(', ');
    if (!isConfirmed)
      throw new ApiError(
        'INVALID_REQUEST',
        `Account ${accountId} has ${list}. Pass --yes to delete all of it permanently.`,
      );
    print(
      `Deleting account ${accountId}: ${list}. A worker does this in the background, even if you stop this command.`,
    );
    await db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      await insertAccountDeletion(tx, accountId);
      for (const { stop } of contents) await stop?.(tx, accountId);
    });
  }
  const end = performance.now() + maxWaitMs;
  for (;;) {
    const deletion = await findAccountDeletion(db, accountId);
    if (!deletion) throw accountNotFound(accountId);
    const status = deletion.finished_ts === null ? 'DELETING' : 'DELETED';
    if (status === 'DELETED' || performance.now() > end) return { ...deletion, status };
    await sleep(pollMs);
  }
}
