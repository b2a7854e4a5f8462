import { isKey } from '../kernel/objects/checks.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import { importFolder } from './import-folder.ts';

/** Files with other names than the service can read stay: it cannot delete them either. */
export async function removeImportFiles(
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
