import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isAbsent } from '../objects/error.ts';
import type { ObjectStore, StoredObject } from '../objects/store.ts';

/** How many objects are copied at the same time. */
const concurrency = 8;

/** Copies objects into a folder, where DuckDB reads them; returns their paths. Unless they must exist, leaves out absent ones. */
export async function downloadObjects(
  store: Pick<ObjectStore, 'read'>,
  folder: string,
  objects: readonly { readonly object_key: string; readonly expect?: StoredObject }[],
  { mustExist, signal }: { readonly mustExist: boolean; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly object_key: string; readonly path: string }[]> {
  const copied: { object_key: string; path: string }[] = [];
  const waiting = [...objects].reverse();
  const copy = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const path = join(folder, next.object_key.replaceAll('/', '-'));
      try {
        const { bytes } = await store.read(next.object_key, { expect: next.expect, signal });
        await pipeline(bytes, createWriteStream(path));
        copied.push({ object_key: next.object_key, path });
      } catch (error) {
        if (mustExist || !isAbsent(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, copy));
  return copied;
}

export async function uploadFile(
  store: Pick<ObjectStore, 'put'>,
  key: string,
  path: string,
  signal?: AbortSignal,
): Promise<StoredObject> {
  return store.put(key, createReadStream(path), { signal });
}
