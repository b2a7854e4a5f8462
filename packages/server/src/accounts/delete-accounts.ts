import type { Transaction } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import type { AccountContents } from './contents.ts';
import { addRemovedCount, claimAccountDeletion, finishAccountDeletion } from './rows/deletions.ts';

/** Rows per transaction; a job may have 101 files. */
const rowsPerStep = 100;

/**
 * Removes the contents of deleted accounts in short transactions, the account's row last. Other tasks remove records and
 * orphaned objects. Safe to run in several workers.
 */
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
