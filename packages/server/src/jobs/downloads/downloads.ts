import { hash, randomBytes } from 'node:crypto';
import { downloadsPath, limits } from '@tastegraph/contract';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { findOrInsertSecret } from '../../kernel/postgres/secrets.ts';
import type { ResultFile } from '../rows/jobs.ts';
import { signDownload } from './sign-download.ts';

export interface Downloads {
  readonly store: Pick<ObjectStore, 'presign' | 'size' | 'read'>;
  /** The public URL of the API. */
  readonly baseUrl: string;
  readonly secret: Buffer;
}

type DownloadableFile = Pick<ResultFile, 'object_key' | 'file_name' | 'content_type'>;

/** All processes share one secret, so each accepts the URLs that another signed. */
export async function openDownloads(
  db: Queryable,
  store: Downloads['store'],
  baseUrl: string,
): Promise<Downloads> {
  return { store, baseUrl, secret: await findOrInsertSecret(db, 'downloads', randomBytes(32)) };
}

/** A download URL for this caller, valid for 24 hours. */
export function downloadUrl(
  { baseUrl, secret }: Pick<Downloads, 'baseUrl' | 'secret'>,
  { object_key: key, file_name: fileName, content_type: contentType }: DownloadableFile,
  callerId: string,
  now = new Date(),
): string {
  const holder = holderOf(callerId);
  const request = { key, seconds: limits.downloadSeconds, fileName, contentType, holder };
  const { expires, name, type, signature } = signDownload(request, secret, now);
  const query = new URLSearchParams({ expires, name, type, holder, signature });
  return `${baseUrl}${downloadsPath}/${key}?${query.toString()}`;
}

/** A hash that identifies the API key or the person in a download URL without revealing it. */
export function holderOf(callerId: string): string {
  return hash('sha256', `download holder ${callerId}`, 'base64url').slice(0, 22);
}
