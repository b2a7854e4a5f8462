import type { AccountContents } from '../accounts/contents.ts';
import { isKey } from '../kernel/objects/checks.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import { importFolder } from './list-files.ts';

export const account: AccountContents = { removeFiles: removeImportFiles };

/** Files with other names than the service can read stay: it cannot delete them either. */
async function removeImportFiles(
  store: Pick<ObjectStore, 'list' | 'delete'>,
  accountId: string,
  signal: AbortSignal,
): Promise<void> {
  let after: string | undefined;
  do {
    const { objects, next } = await store.list(importFolder(accountId), { after, signal });
    for (const { key } of objects) if (isKey(key)) await store.delete(key, { signal });
    after = next;
  } while (after !== undefined);
}
