import { ObjectStoreError } from './error.ts';
import { type ListOptions, MAX_PAGE } from './store.ts';

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
