import { ObjectStoreError } from './error.ts';
import { type ListOptions, MAX_PAGE } from './store.ts';

/**
 * `folder/folder/name.ext`: the last part has an ending and no other has, so a key is never a folder of another, which S3 would
 * allow and a disk cannot. Lower case, since some disks take `A` for `a`. No way out of the root, and no hidden file: those are ours.
 */
const KEY = /^(?:[a-z0-9_-]{1,128}\/)*[a-z0-9_-]{1,128}(?:\.[a-z0-9_-]{1,32}){1,3}$/;

/** The start of a key, wherever it is cut. */
const PREFIX = /^(?:[a-z0-9_-]{1,128}\/)*[a-z0-9_-]{0,128}(?:(?<=[a-z0-9_-])\.[a-z0-9_-]{0,32}){0,3}$/;

/** S3 takes 1024; a path on disk, 4096 with the root before it. */
const MAX_LENGTH = 512;

export function isKey(text: string): boolean {
  return text.length <= MAX_LENGTH && KEY.test(text);
}

export function checkKey(key: string): void {
  if (isKey(key)) return;
  throw refused(
    `${shown(key)} is not an object's key. Write folder/name.ext in lower-case letters, digits, _ and -.`,
  );
}

/** The page's size. */
export function checkList(prefix: string, { after, limit = MAX_PAGE }: ListOptions): number {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix))
    throw refused(`${shown(prefix)} is not the start of a key.`);
  if (after !== undefined) checkKey(after);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw refused(`A page has 1 to ${MAX_PAGE} objects, not ${limit}.`);
  }
  return limit;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function refused(message: string): ObjectStoreError {
  return new ObjectStoreError('refused', message);
}
