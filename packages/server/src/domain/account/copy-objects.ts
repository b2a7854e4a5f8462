import { isAbsent } from '../../storage/objects/error.ts';
import { isKey } from '../../storage/objects/keys.ts';
import type { ObjectStore, StoredObject } from '../../storage/objects/store.ts';
import { ApiError } from '../api-error.ts';

export interface CopiedObject {
  readonly object_key: string;
  readonly size: number | null;
  readonly sha256: string | null;
}

/** Copies objects that the other store does not have yet: an object never changes. Returns how many bytes it copied. */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  objects: readonly CopiedObject[],
): Promise<number> {
  let bytes = 0;
  for (const { object_key, size, sha256 } of objects) {
    const expect: StoredObject | undefined = size === null || sha256 === null ? undefined : { size, sha256 };
    const there = await sizeOf(to, object_key);
    if (there !== undefined && there === (size ?? (await sizeOf(from, object_key)))) continue;
    try {
      const body = await from.read(object_key, { expect });
      bytes += (await to.put(object_key, body.bytes)).size;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      throw new ApiError(
        'UNAVAILABLE',
        `The object ${object_key} was removed meanwhile, or is missing. Run the command again.`,
        { cause: error },
      );
    }
  }
  return bytes;
}

/** Those below a prefix, of any name that the service can read. */
export async function listObjects(store: ObjectStore, prefix: string): Promise<CopiedObject[]> {
  const found: CopiedObject[] = [];
  let after: string | undefined;
  do {
    const { objects, next } = await store.list(prefix, { after });
    for (const { key, size } of objects) if (isKey(key)) found.push({ object_key: key, size, sha256: null });
    after = next;
  } while (after !== undefined);
  return found;
}

async function sizeOf(store: ObjectStore, key: string): Promise<number | undefined> {
  try {
    return await store.size(key);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
