import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isAbsent } from '../../storage/objects/error.ts';
import type { ByteRange, DownloadParts, ObjectStore } from '../../storage/objects/store.ts';
import { Fault } from '../fault.ts';

/** What the API needs of the object store: to sign addresses, and to answer those that it signed itself. */
export type Downloads = Pick<ObjectStore, 'presign' | 'verify' | 'size' | 'read'>;

export interface FoundDownload {
  readonly size: number;
  readonly contentType: string;
  readonly contentDisposition: string;
  /** The same for the same bytes: an object of a key is written once. */
  readonly tag: string;
  read(range?: ByteRange): Promise<Readable>;
}

/**
 * What a signed address leads to. One that was changed, is over, or whose object is gone answers alike: who may not have
 * it does not learn which.
 */
export async function findDownload(downloads: Downloads, parts: DownloadParts): Promise<FoundDownload> {
  const verified = downloads.verify?.(parts);
  if (!verified) throw noDownload();
  const { key, contentType, contentDisposition } = verified;
  return {
    size: await downloads.size(key).catch(unlessGone),
    contentType,
    contentDisposition,
    tag: createHash('sha256').update(key).digest('base64url'),
    read: async (range) => (await downloads.read(key, { range }).catch(unlessGone)).bytes,
  };
}

function unlessGone(error: unknown): never {
  throw isAbsent(error) ? noDownload() : error;
}

function noDownload(): Fault {
  return new Fault(
    'NOT_FOUND',
    'There is no such download, or its time is over. /get-job gives a fresh address.',
  );
}
