import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderStore } from './folder/open.ts';
import type { S3Options } from './s3/open.ts';
import type { ObjectStore } from './store.ts';

/** Plain data, so that a thread can be handed it. */
export type ObjectsSettings =
  | {
      readonly kind: 'folder';
      readonly root: string;
      readonly downloadsUrl: string;
      /** See StepLimits. */
      readonly stepMs?: number;
    }
  | ({ readonly kind: 's3' } & S3Options);

export async function openObjectStore(settings: ObjectsSettings): Promise<ObjectStore> {
  if (settings.kind === 's3') {
    // Every training's thread opens a store: Amazon's SDK would be most of what it loads for a folder.
    const { openS3Store } = await import('./s3/open.ts');
    return openS3Store(settings);
  }
  const { downloadsUrl: baseUrl, ...options } = settings;
  return openFolderStore({ ...options, downloads: { baseUrl, secret: await folderSecret(options.root) } });
}

/** Downloads are signed with a secret that lies in the folder itself: who can read the folder needs no address to do so. */
async function folderSecret(root: string): Promise<string> {
  const path = join(root, '.download-secret');
  const read = () => readFile(path, 'utf8');
  return read().catch(async (error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
    await mkdir(root, { recursive: true });
    // Of several processes that start at once, one puts its own in place, whole, and all read that.
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    await link(draft, path).catch((taken: unknown) => {
      if (!isCode(taken, 'EEXIST')) throw taken;
    });
    await unlink(draft);
    return read();
  });
}

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;
