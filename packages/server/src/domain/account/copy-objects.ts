import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsent } from '../../storage/objects/error.ts';
import { isKey } from '../../storage/objects/keys.ts';
import type { ObjectStore, StoredObject } from '../../storage/objects/store.ts';
import {
  deleteOrphanedObjects,
  findOrphanedObjects,
  forgetOrphanedObject,
  holdObjects,
  unholdObjects,
} from '../../storage/postgres/orphaned-objects.ts';
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
  /** Of a file to import, which may be replaced by another. Other objects never change. */
  readonly modifiedMs?: number;
}

interface CopyTarget {
  readonly db: Database;
  readonly store: ObjectStore;
}

/**
 * Copies objects that the other store does not have yet. They are held there, so that its workers remove neither new nor earlier copies,
 * until the transaction of `release` commits.
 */
export class ObjectCopy {
  readonly #from: ObjectStore;
  readonly #to: CopyTarget;
  readonly #held = new Set<string>();
  /** By key, which version of an object was copied. */
  readonly #copied = new Map<string, string>();
  /** How many bytes were copied. */
  bytes = 0;

  constructor(from: ObjectStore, to: CopyTarget) {
    this.#from = from;
    this.#to = to;
  }

  /** `mayBeGone`: the account can still change, so an object may have been removed since it was listed. */
  async copy(objects: readonly CopiedObject[], { mayBeGone }: { mayBeGone: boolean }): Promise<void> {
    const left = objects.filter((object) => this.#copied.get(object.object_key) !== versionOf(object));
    for (const batch of batchesOf(left.map(({ object_key }) => object_key))) {
      for (const key of batch) this.#held.add(key);
      await holdAll(this.#to.db, batch);
    }
    for (const object of left) {
      if (await this.#copyOne(object)) this.#copied.set(object.object_key, versionOf(object));
      else if (!mayBeGone)
        throw new ApiError(
          'UNAVAILABLE',
          `The object ${object.object_key} was removed meanwhile, or is missing. Run the command again.`,
        );
    }
  }

  /** False if it is not there. */
  async #copyOne({ object_key, size, sha256, modifiedMs }: CopiedObject): Promise<boolean> {
    const expect: StoredObject | undefined = size === null || sha256 === null ? undefined : { size, sha256 };
    try {
      const there = modifiedMs === undefined ? await sizeOf(this.#to.store, object_key) : undefined;
      if (there !== undefined && there === (size ?? (await this.#from.size(object_key)))) return true;
      const body = await this.#from.read(object_key, { expect });
      this.bytes += (await this.#to.store.put(object_key, body.bytes)).size;
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }

  /**
   * In the transaction whose rows refer to these objects. Removes what else was copied, by this command or by one that was interrupted: a
   * worker would do so days later, and then a file to import may have been replaced by a new one of the same name.
   */
  async release(tx: Queryable, objects: readonly CopiedObject[], importPrefix: string): Promise<void> {
    const kept = new Set(objects.map(({ object_key }) => object_key));
    const files = await listObjects(this.#to.store, importPrefix);
    const others = new Set([...this.#held, ...files.map(({ object_key }) => object_key)]).difference(kept);
    // A file that no command copied is there because somebody put it there.
    for (const batch of batchesOf(others))
      for (const key of await findOrphanedObjects(this.#to.db, batch)) {
        await this.#to.store.delete(key);
        await forgetOrphanedObject(this.#to.db, key);
      }
    for (const batch of batchesOf(kept)) await deleteOrphanedObjects(tx, batch);
  }

  /** Lets workers of the other cell remove what was copied. */
  async abandon(db: Queryable): Promise<void> {
    for (const batch of batchesOf(this.#held)) await unholdObjects(db, batch);
  }
}

const versionOf = ({ size, modifiedMs }: CopiedObject) => `${size} ${modifiedMs}`;

function batchesOf(objectKeys: Iterable<string>): string[][] {
  const keys = [...new Set(objectKeys)];
  return Array.from({ length: Math.ceil(keys.length / objectsPerBatch) }, (_, n) =>
    keys.slice(n * objectsPerBatch, (n + 1) * objectsPerBatch),
  );
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
    for (const { key, size, modifiedMs } of objects)
      if (isKey(key)) found.push({ object_key: key, size, sha256: null, modifiedMs });
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
