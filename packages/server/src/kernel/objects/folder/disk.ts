import { type FileHandle, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKey } from '../checks.ts';
import { ObjectStoreError } from '../error.ts';
import { type StepLimits, step } from '../step.ts';
import type { ListedObject, ObjectPage } from '../store.ts';

/** Deleting a folder's last object removes the folder, possibly between our mkdir and rename. Not ten times in a row. */
const MOVE_ATTEMPTS = 10;

/** Runs one disk operation within the limits; its errors become ours. */
export function onDisk<T>(limits: StepLimits, what: string, work: () => Promise<T>): Promise<T> {
  return step(limits, what, () =>
    work().catch((error: unknown) => {
      throw explainDisk(error, what);
    }),
  );
}

export function explainDisk(error: unknown, what: string): unknown {
  // Without a code it is not a disk error: it is ours, or the caller's abort reason.
  const code = codeOf(error);
  if (error instanceof ObjectStoreError || code === undefined) return error;
  const message = `${what}: ${(error as Error).message}`;
  if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) {
    return new ObjectStoreError('absent', message, { cause: error });
  }
  const kind = ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'refused' : 'unavailable';
  return new ObjectStoreError(kind, message, { cause: error });
}

/** If the open finishes only after the limit, closes the file, and removes it if it is new: nobody else would. */
export async function openFile(
  limits: StepLimits,
  what: string,
  path: string,
  flags: 'r' | 'wx',
): Promise<FileHandle> {
  limits.signal?.throwIfAborted();
  const opening = open(path, flags, 0o640);
  try {
    return await onDisk(limits, what, () => opening);
  } catch (error) {
    const undo = async (file: FileHandle) => {
      await file.close();
      if (flags === 'wx') await unlink(path);
    };
    void opening.then(undo).catch(() => undefined);
    throw error;
  }
}

/** Moves a file to its final path atomically, replacing what was there. Durable once it returns. */
export async function moveInto(draft: string, target: string): Promise<void> {
  const folder = dirname(target);
  // A new folder is durable once its parent is synced.
  let top = folder;
  for (let attempt = 1; ; attempt++) {
    try {
      const made = await mkdir(folder, { recursive: true });
      if (made !== undefined && made.length <= top.length) top = dirname(made);
      await rename(draft, target);
      break;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === MOVE_ATTEMPTS) throw error;
    }
  }
  for (let path = folder; path.length >= top.length; path = dirname(path)) await syncFolder(path);
}

/** Removes empty folders, from this one up to but excluding the root. */
export async function pruneFolders(folder: string, root: string): Promise<void> {
  for (let path = folder; path.length > root.length; path = dirname(path)) {
    // Not empty, or removed by another process, which then also prunes the parents.
    const removed = await rmdir(path).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** Without this, a power cut may undo a create, rename or delete in the folder. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle;
  try {
    folder = await open(path, 'r');
  } catch (error) {
    // The folder became empty and was removed: nothing is left to sync.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** One page of a folder's objects, in the order in which S3 lists them. Reads only the folders that the page covers. */
export async function listFolder(
  root: string,
  prefix: string,
  after: string,
  limit: number,
): Promise<ObjectPage> {
  const objects: ListedObject[] = [];
  for await (const key of walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix, after)) {
    // Skip a file that was deleted after its folder was read.
    const found = await statOf(join(root, key));
    if (!found) continue;
    if (objects.length === limit) return { objects, next: objects.at(-1)?.key };
    objects.push({ key, ...found });
  }
  return { objects, next: undefined };
}

/** Undefined if the file does not exist. */
async function statOf(path: string): Promise<Omit<ListedObject, 'key'> | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? { size: found.size, modifiedMs: found.mtimeMs } : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** `folder` is '' or ends with a slash. */
async function* walk(root: string, folder: string, prefix: string, after: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // Sort folders with their slash, as in keys: `a-b` comes before `a/c`, which comes before `a0`.
  const names = entries
    .filter((entry) => !entry.name.startsWith('.'))
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    if (!name.startsWith(prefix) && !prefix.startsWith(name)) continue;
    if (name.endsWith('/')) {
      if (name > after || after.startsWith(name)) yield* walk(root, name, prefix, after);
    } else if (name > after && name.startsWith(prefix) && isKey(name)) {
      yield name;
    }
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}
