import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError } from '../../http/api-error.ts';
import { isAbsent } from '../../kernel/objects/error.ts';
import type { ByteRange } from '../../kernel/objects/store.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { listResultHolders } from '../rows/results.ts';
import { type Downloads, holderOf } from './downloads.ts';
import { type DownloadParts, type VerifiedDownload, verifyDownload } from './sign-download.ts';

/** A presigned URL of the store cannot be revoked, so it is valid only long enough to follow the redirect. */
const redirectSeconds = 300;

/** A file to stream, or a presigned URL of the store to redirect to. */
export type FoundDownload = StreamedDownload | { readonly location: string };

interface StreamedDownload {
  readonly location?: undefined;
  readonly size: number;
  readonly contentType: string;
  readonly contentDisposition: string;
  /** Identifies the content: the object of a key is written only once. */
  readonly tag: string;
  read(range?: ByteRange): Promise<Readable>;
}

/** Whether the API key or the person behind `holder` may still download the object. */
export type IsHolder = (objectKey: string, holder: string) => Promise<boolean>;

/** True if the object belongs to a job's result, and its account has the API key, which is not revoked, or the person. */
export const createIsHolder =
  (db: Queryable): IsHolder =>
  async (objectKey, holder) => {
    const [, jobId = ''] = objectKey.split('/');
    const holders = await listResultHolders(db, jobId, objectKey);
    return holders.some((callerId) => holderOf(callerId) === holder);
  };

/**
 * Resolves a download URL. The error is the same whether the URL was changed or has expired, the job or object is gone, or
 * the API key was revoked or the person removed, so that it reveals nothing to callers who may not have the file.
 */
export async function findDownload(
  downloads: Downloads,
  isHolder: IsHolder,
  parts: DownloadParts,
  { method, canRedirect }: { method: 'GET' | 'HEAD'; canRedirect: boolean },
): Promise<FoundDownload> {
  const { store, secret } = downloads;
  const verified = verifyDownload(parts, secret);
  if (!verified || !(await isHolder(verified.key, verified.holder))) throw downloadNotFound();
  if (!store.presign || !canRedirect) return openStream(store, verified);
  const { key, fileName, contentType } = verified;
  const location = await store.presign(key, { method, seconds: redirectSeconds, fileName, contentType });
  return { location };
}

async function openStream(
  store: Downloads['store'],
  { key, contentType, contentDisposition }: VerifiedDownload,
): Promise<StreamedDownload> {
  return {
    size: await store.size(key).catch(throwNotFoundIfAbsent),
    contentType,
    contentDisposition,
    tag: createHash('sha256').update(key).digest('base64url'),
    read: async (range) => (await store.read(key, { range }).catch(throwNotFoundIfAbsent)).bytes,
  };
}

function throwNotFoundIfAbsent(error: unknown): never {
  throw isAbsent(error) ? downloadNotFound() : error;
}

function downloadNotFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'The download does not exist or its URL has expired. Call /get-job to get a new URL.',
  );
}
