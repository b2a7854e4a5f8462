import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { downloadsPath, limits } from '@tastegraph/contract';
import { checkFile, dispositionOf, isKey } from '../kernel/objects/checks.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findOrInsertSecret } from '../kernel/postgres/secrets.ts';
import type { ResultFile } from './rows/jobs.ts';

export interface Downloads {
  readonly store: Pick<ObjectStore, 'presign' | 'size' | 'read'>;
  /** The public URL of the API. */
  readonly baseUrl: string;
  readonly secret: Buffer;
}

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
  file: Pick<ResultFile, 'object_key' | 'file_name' | 'content_type'>,
  callerId: string,
  now = new Date(),
): string {
  const { object_key: key, file_name: fileName, content_type: contentType } = file;
  const request = { key, seconds: limits.downloadSeconds, fileName, contentType, holder: holderOf(callerId) };
  const { key: path, ...query } = signDownload(request, secret, now);
  return `${baseUrl}${downloadsPath}/${path}?${new URLSearchParams(query).toString()}`;
}

/** A hash that identifies the API key or the person in a download URL without revealing it. */
export function holderOf(callerId: string): string {
  return hash('sha256', `download holder ${callerId}`, 'base64url').slice(0, 22);
}

interface DownloadRequest {
  readonly key: string;
  readonly seconds: number;
  /** The name under which a browser saves it. */
  readonly fileName: string;
  readonly contentType: string;
  /** A hash of the API key; see holderOf(). */
  readonly holder: string;
}

/** The parts of a download URL: the key is in the path, the others are in the query. */
interface DownloadParts {
  readonly key: string;
  /** Unix time in seconds, as text. */
  readonly expires: string;
  readonly name: string;
  readonly type: string;
  readonly holder: string;
  readonly signature: string;
}

interface VerifiedDownload extends Omit<DownloadRequest, 'seconds'> {
  readonly contentDisposition: string;
}

export function signDownload(
  { key, seconds, fileName, contentType, holder }: DownloadRequest,
  secret: Buffer,
  now = new Date(),
): DownloadParts {
  checkFile({ fileName, contentType });
  const expires = String(Math.floor(now.getTime() / 1000) + seconds);
  const parts = { key, expires, name: fileName, type: contentType, holder };
  return { ...parts, signature: sign(parts, secret) };
}

/** Returns undefined if the URL was not signed with this secret or has expired. */
export function verifyDownload(
  parts: DownloadParts,
  secret: Buffer,
  now = new Date(),
): VerifiedDownload | undefined {
  // Compared as text: several base64 strings decode to the same bytes, and only ours is accepted.
  const actual = Buffer.from(parts.signature);
  const expected = Buffer.from(sign(parts, secret));
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  if (!isKey(parts.key) || now.getTime() >= Number(parts.expires) * 1000) return undefined;
  return {
    key: parts.key,
    fileName: parts.name,
    contentType: parts.type,
    contentDisposition: dispositionOf(parts.name),
    holder: parts.holder,
  };
}

/** JSON separates the fields, so that two different sets never have the same signed text. */
function sign(
  { key, expires, name, type, holder }: Omit<DownloadParts, 'signature'>,
  secret: Buffer,
): string {
  const text = JSON.stringify(['tastegraph-download-2', key, expires, name, type, holder]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
