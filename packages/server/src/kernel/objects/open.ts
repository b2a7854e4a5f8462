import { type FolderOptions, openFolderStore } from './folder/open.ts';
import type { S3Options } from './s3/open.ts';
import type { ObjectStore } from './store.ts';

/** Plain data, so that it can be passed to a thread. */
export type ObjectsSettings =
  | ({ readonly kind: 'folder' } & FolderOptions)
  | ({ readonly kind: 's3' } & S3Options);

export async function openObjectStore(settings: ObjectsSettings): Promise<ObjectStore> {
  if (settings.kind === 'folder') return openFolderStore(settings);
  // Imported only when needed: every job thread opens a store, and the AWS SDK would be most of what it loads.
  const { openS3Store } = await import('./s3/open.ts');
  return openS3Store(settings);
}
