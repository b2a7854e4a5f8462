import { createHmac, timingSafeEqual } from 'node:crypto';
import { ObjectStoreError } from './error.ts';
import { isKey } from './keys.ts';
import { type Download, type DownloadParts, MAX_DOWNLOAD_SECONDS, type VerifiedDownload } from './store.ts';

const CONTENT_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(?:; ?charset=[a-z0-9-]+)?$/i;
// Of most file systems.
const MAX_NAME_LENGTH = 255;

/** Both end up in headers: what could break out of one is refused. */
export function checkDownload({ seconds, fileName, contentType }: Download): void {
  const isNameSound =
    fileName.length > 0 &&
    fileName.length <= MAX_NAME_LENGTH &&
    fileName.isWellFormed() &&
    !/[\p{Cc}/\\]/u.test(fileName);
  if (!isNameSound) throw refused('A file name has no slashes and no control characters.');
  if (!CONTENT_TYPE.test(contentType)) throw refused(`${JSON.stringify(contentType)} is no content type.`);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_DOWNLOAD_SECONDS) {
    throw refused(`A download is open for 1 to ${MAX_DOWNLOAD_SECONDS} seconds, not ${seconds}.`);
  }
}

export function signDownload(
  key: string,
  { seconds, fileName, contentType }: Download,
  secret: string,
  now = new Date(),
): DownloadParts {
  const expires = String(Math.floor(now.getTime() / 1000) + seconds);
  const parts = { key, expires, name: fileName, type: contentType };
  return { ...parts, signature: sign(parts, secret).toString('base64url') };
}

/** Undefined when it was not signed by this secret just so, or is over: the caller need not know which. */
export function verifyDownload(
  parts: DownloadParts,
  secret: string,
  now = new Date(),
): VerifiedDownload | undefined {
  const given = Buffer.from(parts.signature, 'base64url');
  const right = sign(parts, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  if (!isKey(parts.key) || now.getTime() >= Number(parts.expires) * 1000) return undefined;
  return {
    key: parts.key,
    contentType: parts.type,
    contentDisposition: dispositionOf(parts.name),
  };
}

/** RFC 6266: plain ASCII for all, and the name as it is for those who know UTF-8, which is every browser. */
export function dispositionOf(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const exact = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** JSON keeps the fields apart: no two sets of them are signed alike. */
function sign({ key, expires, name, type }: Omit<DownloadParts, 'signature'>, secret: string): Buffer {
  const text = JSON.stringify(['tastegraph-download-1', key, expires, name, type]);
  return createHmac('sha256', secret).update(text).digest();
}

function refused(message: string): ObjectStoreError {
  return new ObjectStoreError('refused', message);
}
