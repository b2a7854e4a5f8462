import { createHmac, timingSafeEqual } from 'node:crypto';
import { checkFile, dispositionOf } from '../../kernel/objects/download.ts';
import { isKey } from '../../kernel/objects/keys.ts';

export interface DownloadRequest {
  readonly key: string;
  readonly seconds: number;
  /** The name under which a browser saves it. */
  readonly fileName: string;
  readonly contentType: string;
  /** A hash of the API key; see holderOf(). */
  readonly holder: string;
}

/** The parts of a download URL: the key is in the path, the others are in the query. */
export interface DownloadParts {
  readonly key: string;
  /** Unix time in seconds, as text. */
  readonly expires: string;
  readonly name: string;
  readonly type: string;
  readonly holder: string;
  readonly signature: string;
}

export interface VerifiedDownload {
  readonly key: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly holder: string;
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
