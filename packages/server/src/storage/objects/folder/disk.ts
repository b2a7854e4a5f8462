import { type FileHandle, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ObjectStoreError } from '../error.ts';
import { type StepLimits, step } from '../step.ts';

/** While a folder is made and a file moved into it, who deletes its last object removes it; so often in a row is no accident. */
const MOVE_ATTEMPTS = 10;

/** One exchange with the disk, its errors explained. */
export function onDisk<T>(limits: StepLimits, what: string, work: () => Promise<T>): Promise<T> {
  return step(limits, what, () =>
    work().catch((error: unknown) => {
      throw explainDisk(error, what);
    }),
  );
}

export function explainDisk(error: unknown, what: string): unknown {
  // What has no code is no answer of the disk: an error of ours, or the caller's reason to end it.
  const code = codeOf(error);
  if (error instanceof ObjectStoreError || code === undefined) return error;
  const message = `${what}: ${(error as Error).message}`;
  if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) {
    return new ObjectStoreError('absent', message, { cause: error });
  }
  const kind = ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'refused' : 'unavailable';
  return new ObjectStoreError(kind, message, { cause: error });
}

/** Closes what was opened too late for anybody to use, and removes it if it is new: nobody else does by then. */
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

/** Moves a file to where it is seen, in one step, over what was there; lasts when it returns. */
export async function moveInto(draft: string, target: string): Promise<void> {
  const folder = dirname(target);
  // A new folder lasts once the one above it is written.
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

/** Removes folders that hold nothing any more, from this one up to, and without, the root. */
export async function pruneFolders(folder: string, root: string): Promise<void> {
  for (let path = folder; path.length > root.length; path = dirname(path)) {
    // Not empty, or just removed by somebody else: the ones above are then theirs to see to.
    const removed = await rmdir(path).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** Without this, a name made, moved or removed in the folder may be forgotten in a power cut. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle;
  try {
    folder = await open(path, 'r');
  } catch (error) {
    // Removed as it became empty: nothing is left that could be forgotten.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
