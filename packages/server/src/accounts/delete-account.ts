import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../http/api-error.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import type { AccountContents } from './contents.ts';
import { accountNotFound } from './create-account.ts';
import { accountExists, lockAccount } from './rows/accounts.ts';
import {
  addRemovedCount,
  claimAccountDeletion,
  findAccountDeletion,
  finishAccountDeletion,
  insertAccountDeletion,
} from './rows/deletions.ts';

const pollMs = 500;
/** The operator waits at most this long; the deletion continues in the background. */
const maxWaitMs = 10 * 60_000;

/** Revokes keys at once; workers do the rest, even after this process ends. Repeated, it waits for that or returns the receipt. */
export async function deleteAccount(
  db: Database,
  contents: readonly AccountContents[],
  accountId: string,
  isConfirmed: boolean,
  print: (text: string) => void,
): Promise<object> {
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
    await db.transaction((tx) => startAccountDeletion(tx, contents, accountId));
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

/** From here on nothing opens the account any more, and nothing is added to it. */
export async function startAccountDeletion(
  tx: Transaction,
  contents: readonly AccountContents[],
  accountId: string,
): Promise<void> {
  await lockAccount(tx, accountId);
  await insertAccountDeletion(tx, accountId);
  for (const { stop } of contents) await stop?.(tx, accountId);
}

/** Rows per transaction; a job may have 101 files. */
const rowsPerStep = 100;

/** Works in short transactions, in any number of workers; the account's row comes last. Other tasks remove records and objects. */
export function deleteAccounts(services: Services): TaskStep {
  const { db, store, log, stopping, accountContents } = services;
  let after = '';
  /** Accounts without files that no row refers to. */
  const cleared = new Set<string>();
  return async () => {
    const contents = await accountContents();
    const step = await db.transaction(async (tx) => {
      const account_id = await claimAccountDeletion(tx, after);
      if (account_id === undefined) return undefined;
      return { account_id, state: await removeNext(tx, contents, account_id, cleared.has(account_id)) };
    });
    if (step?.state === 'finished') {
      cleared.delete(step.account_id);
      log.info({ account_id: step.account_id }, 'deleted an account');
    }
    // An account that waits for the purge of its datasets, or for the store, does not block the next one.
    if (step?.state !== 'removed') after = step?.account_id ?? '';
    if (step?.state === 'emptied') {
      // No transaction is open during calls to the store.
      for (const { removeFiles } of contents) await removeFiles?.(store, step.account_id, stopping);
      cleared.add(step.account_id);
    }
    return step !== undefined;
  };
}

async function removeNext(
  tx: Transaction,
  contents: readonly AccountContents[],
  accountId: string,
  isCleared: boolean,
): Promise<'removed' | 'waits' | 'emptied' | 'finished'> {
  for (const { remove } of contents) {
    const removed = await remove?.(tx, accountId, rowsPerStep);
    if (removed === 'waits') return 'waits';
    if (removed === undefined) continue;
    for (const [kind, count] of Object.entries(removed)) await addRemovedCount(tx, accountId, kind, count);
    return 'removed';
  }
  if (!isCleared) return 'emptied';
  await finishAccountDeletion(tx, accountId);
  return 'finished';
}
