import { ObjectStoreError } from './error.ts';
import { type ByteRange, type Download, type ListOptions, MAX_DOWNLOAD_SECONDS, MAX_PAGE } from './store.ts';

/**
 * `folder/folder/name.ext`: only the last part has an extension, so a key is never also a folder of another key, which
 * S3 would allow and a disk cannot. Lower case, since some file systems ignore case. No path out of the root, and no
 * hidden files: those are ours.
 */
const KEY = /^(?:[a-z0-9_-]{1,128}\/)*[a-z0-9_-]{1,128}(?:\.[a-z0-9_-]{1,32}){1,3}$/;

/** Any prefix of a key. */
const PREFIX = /^(?:[a-z0-9_-]{1,128}\/)*[a-z0-9_-]{0,128}(?:(?<=[a-z0-9_-])\.[a-z0-9_-]{0,32}){0,3}$/;

/** S3 allows 1024 characters; a path on disk, 4096 including the root. */
const MAX_LENGTH = 512;

export function isKey(text: string): boolean {
  return text.length <= MAX_LENGTH && KEY.test(text);
}

export function checkKey(key: string): void {
  if (isKey(key)) return;
  throw refused(
    `${quote(key)} is not an object key. Use folder/name.ext with lower-case letters, digits, _ and -.`,
  );
}

/** Returns the page size. `after` may be any text: a bucket may contain keys that are not ours, and the next page begins after one. */
export function checkList(prefix: string, { limit = MAX_PAGE }: ListOptions): number {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix))
    throw refused(`${quote(prefix)} is not a prefix of an object key.`);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw refused(`A page has 1 to ${MAX_PAGE} objects, not ${limit}.`);
  }
  return limit;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function refused(message: string): ObjectStoreError {
  return new ObjectStoreError('refused', message);
}

export function checkRange({ first, last }: ByteRange, size: number): void {
  const isValid = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (!isValid || last >= size)
    throw refused(`Bytes ${first} to ${last} are not within the object's ${size} bytes.`);
}

export function sizeOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

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
