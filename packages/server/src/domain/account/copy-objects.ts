import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsent } from '../../storage/objects/error.ts';
import { isKey } from '../../storage/objects/keys.ts';
import type { ObjectStore, StoredObject } from '../../storage/objects/store.ts';
import { deleteOrphanedObjects, holdObjects } from '../../storage/postgres/orphaned-objects.ts';
import type { Database, Queryable } from '../../storage/postgres/pool.ts';
import { ApiError } from '../api-error.ts';

const objectsPerBatch = 500;
/** Longer than a copy takes. What an interrupted copy left is removed after this time. */
const holdSeconds = 3 * 86_400;
/** Workers of the other cell remove an object within seconds. */
const maxRemovalMs = 60_000;
const removalPollMs = 500;

export interface CopiedObject {
  readonly object_key: string;
  readonly size: number | null;
  readonly sha256: string | null;
}

interface CopyTarget {
  readonly db: Database;
  readonly store: ObjectStore;
}

/**
 * Copies objects that the other store does not have yet: an object never changes. They are held there, so that its workers remove neither
 * new nor earlier copies, until `tx`, the transaction whose rows refer to them, commits. Returns how many bytes it copied.
 */
export async function copyObjects(
  from: ObjectStore,
  to: CopyTarget,
  objects: readonly CopiedObject[],
  tx: Queryable,
): Promise<number> {
  let bytes = 0;
  const keys = [...new Set(objects.map(({ object_key }) => object_key))];
  const batches = Array.from({ length: Math.ceil(keys.length / objectsPerBatch) }, (_, n) =>
    keys.slice(n * objectsPerBatch, (n + 1) * objectsPerBatch),
  );
  for (const batch of batches) await holdAll(to.db, batch);
  for (const { object_key, size, sha256 } of objects) {
    const expect: StoredObject | undefined = size === null || sha256 === null ? undefined : { size, sha256 };
    const there = await sizeOf(to.store, object_key);
    if (there !== undefined && there === (size ?? (await sizeOf(from, object_key)))) continue;
    try {
      const body = await from.read(object_key, { expect });
      bytes += (await to.store.put(object_key, body.bytes)).size;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      throw new ApiError(
        'UNAVAILABLE',
        `The object ${object_key} was removed meanwhile, or is missing. Run the command again.`,
        { cause: error },
      );
    }
  }
  for (const batch of batches) await deleteOrphanedObjects(tx, batch);
  return bytes;
}

/** Waits for workers that are removing an earlier copy. */
async function holdAll(db: Database, keys: readonly string[]): Promise<void> {
  let left = keys;
  for (const end = performance.now() + maxRemovalMs; ; ) {
    const held = await holdObjects(db, left, holdSeconds);
    left = left.filter((key) => !held.has(key));
    if (left.length === 0) return;
    if (performance.now() > end)
      throw new ApiError(
        'UNAVAILABLE',
        `The other cell has not removed an earlier copy of ${left.length} objects yet. Check that a worker runs there, and repeat the command.`,
      );
    await sleep(removalPollMs);
  }
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
