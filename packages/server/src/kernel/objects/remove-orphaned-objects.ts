import { orphanJobParts } from '../../batches/rows/parts.ts';
import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import type { Database } from '../postgres/pool.ts';
import { claimOrphanedObjects, forgetOrphanedObject } from './orphaned-objects.ts';
import type { ObjectStore } from './store.ts';

/** How soon an idle worker notices an orphaned object. */
const pauseMs = 2000;
/** Objects per claim; each is then deleted individually. */
const objectsPerClaim = 20;
/**
 * A claim keeps workers from doing the same work; removing an object twice is harmless. If the removal fails or the
 * worker dies, the object is retried after this time.
 */
const claimSeconds = 10;

/**
 * Removes objects that no row refers to, until `stopping`: leftovers of failed attempts, and files of deleted models
 * and results. No transaction is open during store operations. The row is deleted after the object: if the process dies
 * in between, the object is removed again after the claim expires, which is harmless.
 */
export async function removeOrphanedObjects(
  db: Database,
  store: Pick<ObjectStore, 'delete'>,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to remove orphaned objects; will retry');
  // A function, since TypeScript assumes that a checked `aborted` stays false.
  const stopped = () => stopping.aborted;
  await repeat({ pauseMs, stopping, onError }, async () => {
    await orphanJobParts(db, objectsPerClaim);
    const keys = await claimOrphanedObjects(db, objectsPerClaim, claimSeconds);
    for (const key of keys) {
      if (stopped()) return false;
      try {
        await store.delete(key, { signal: stopping });
        await forgetOrphanedObject(db, key);
      } catch (error) {
        // An object that cannot be removed must not block the others.
        if (!stopped()) onError(error);
      }
    }
    return keys.length === objectsPerClaim;
  });
}
