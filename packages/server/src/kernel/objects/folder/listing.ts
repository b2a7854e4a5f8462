import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isKey } from '../checks.ts';
import type { ListedObject, ObjectPage } from '../store.ts';
import { codeOf } from './disk.ts';

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
