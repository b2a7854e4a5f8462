import { ObjectStoreError } from './error.ts';
import { type Download, MAX_DOWNLOAD_SECONDS } from './store.ts';

const CONTENT_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(?:; ?charset=[a-z0-9-]+)?$/i;
// The limit of most file systems.
const MAX_NAME_LENGTH = 255;

export function checkDownload({ seconds, ...file }: Download): void {
  checkFile(file);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_DOWNLOAD_SECONDS) {
    throw refused(`A download URL is valid for 1 to ${MAX_DOWNLOAD_SECONDS} seconds, not ${seconds}.`);
  }
}

/** Both values end up in headers, so reject anything that could break out of one. */
export function checkFile({ fileName, contentType }: Pick<Download, 'fileName' | 'contentType'>): void {
  const isNameValid =
    fileName.length > 0 &&
    fileName.length <= MAX_NAME_LENGTH &&
    fileName.isWellFormed() &&
    !/[\p{Cc}/\\]/u.test(fileName);
  if (!isNameValid)
    throw refused(
      `A file name has 1 to ${MAX_NAME_LENGTH} characters, without slashes and control characters.`,
    );
  if (!CONTENT_TYPE.test(contentType)) throw refused(`${JSON.stringify(contentType)} is not a content type.`);
}

/** RFC 6266: an ASCII fallback, and the exact name in UTF-8, which every browser reads. */
export function dispositionOf(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const exact = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function refused(message: string): ObjectStoreError {
  return new ObjectStoreError('refused', message);
}
