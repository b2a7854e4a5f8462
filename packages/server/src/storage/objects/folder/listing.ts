import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isKey } from '../keys.ts';
import type { ObjectPage } from '../store.ts';
import { codeOf } from './disk.ts';

/** A page of a folder's objects, in the order S3 would list them; reads only the folders that the page lies in. */
export async function listFolder(
  root: string,
  prefix: string,
  after: string,
  limit: number,
): Promise<ObjectPage> {
  const objects: { key: string; size: number }[] = [];
  for await (const key of walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix, after)) {
    // Deleted since its folder was read.
    const size = await sizeOf(join(root, key));
    if (size === undefined) continue;
    if (objects.length === limit) return { objects, next: objects.at(-1)?.key };
    objects.push({ key, size });
  }
  return { objects, next: undefined };
}

/** Undefined when there is no such file. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** `folder`: '' or one that ends in a slash. */
async function* walk(root: string, folder: string, prefix: string, after: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  // A folder is sorted with its slash, as it stands in keys: `a-b` comes before `a/c`, which comes before `a0`.
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
