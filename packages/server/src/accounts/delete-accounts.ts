import { datasetLockKey, markDatasetDeleted } from '../datasets/rows/datasets.ts';
import { removeImportFiles } from '../imports/remove-import-files.ts';
import { repeat } from '../kernel/lib/repeat.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import { deleteProjectRow, lockProject } from '../projects/rows/projects.ts';
import {
  addRemovedCount,
  claimAccountDeletion,
  findAnyDataset,
  findAnyProject,
  finishAccountDeletion,
  removeBatch,
} from './rows/deletions.ts';

const pauseMs = 1000;
/** Rows per transaction; a job may have 101 files. */
const rowsPerStep = 100;

/**
 * Removes the contents of deleted accounts in short transactions, until `stopping`: referring rows first, the account's
 * row last. `purge-datasets.ts` removes records, `remove-orphaned-objects.ts` files. Safe to run in several workers.
 */
export async function deleteAccounts(
  { db, store, log }: { db: Database; store: ObjectStore; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to delete an account; will retry');
  let after = '';
  /** Accounts without files to import. */
  const cleared = new Set<string>();
  await repeat({ pauseMs, stopping, onError }, async () => {
    const step = await db.transaction(async (tx) => {
      const account_id = await claimAccountDeletion(tx, after);
      return account_id === undefined
        ? undefined
        : {
            account_id,
            state: await removeNext(tx, account_id, cleared.has(account_id)),
          };
    });
    if (step?.state === 'finished') {
      cleared.delete(step.account_id);
      log.info({ account_id: step.account_id }, 'deleted an account');
    }
    // An account that waits for the purge of its datasets, or for the store, does not block the next one.
    if (step?.state !== 'removed') after = step?.account_id ?? '';
    if (step?.state === 'emptied') {
      // No transaction is open during calls to the store.
      await removeImportFiles(store, step.account_id, stopping);
      cleared.add(step.account_id);
    }
    return step !== undefined;
  });
}

async function removeNext(
  tx: Transaction,
  accountId: string,
  isCleared: boolean,
): Promise<'removed' | 'waits' | 'emptied' | 'finished'> {
  for (const kind of [
    'jobs',
    'deployments',
    'decision_files',
    'attribution_files',
    'models',
    'algorithms',
  ] as const)
    if (await removeKind(tx, accountId, kind)) return 'removed';
  const projectId = await findAnyProject(tx, accountId);
  if (projectId !== undefined) {
    await lockProject(tx, accountId, projectId);
    if (await deleteProjectRow(tx, accountId, projectId)) await addRemovedCount(tx, accountId, 'projects', 1);
    return 'removed';
  }
  const dataset = await findAnyDataset(tx, accountId);
  if (dataset?.is_deleted) return 'waits';
  if (dataset) {
    await tx.lock(datasetLockKey(accountId, dataset.dataset_id), 'exclusive');
    const marked = await markDatasetDeleted(tx, accountId, dataset.kind, dataset.dataset_id);
    await addRemovedCount(tx, accountId, 'datasets', marked ? 1 : 0);
    await addRemovedCount(tx, accountId, 'records', marked?.record_count ?? 0);
    return 'removed';
  }
  for (const kind of ['erasures', 'audit_events', 'people', 'keys'] as const)
    if (await removeKind(tx, accountId, kind)) return 'removed';
  if (!isCleared) return 'emptied';
  await finishAccountDeletion(tx, accountId);
  return 'finished';
}

async function removeKind(
  tx: Transaction,
  accountId: string,
  kind: Parameters<typeof removeBatch>[2],
): Promise<boolean> {
  const count = await removeBatch(tx, accountId, kind, rowsPerStep);
  if (count > 0) await addRemovedCount(tx, accountId, kind, count);
  return count > 0;
}
