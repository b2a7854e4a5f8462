import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { TaskStep } from '../../module.ts';
import type { Services } from '../../services.ts';
import { claimOrphanedObjects, forgetOrphanedObject } from '../rows/orphaned-objects.ts';

/** Objects per claim; each is then deleted individually. */
const objectsPerClaim = 20;
/** So that workers do not do the same work, which would be harmless. An object that was not removed is retried then. */
const claimSeconds = 10;

interface RemovalContext extends Pick<Services, 'db' | 'log' | 'stopping'> {
  readonly store: Pick<ObjectStore, 'delete'>;
}

/**
 * Removes objects that no row refers to: leftovers of failed attempts, and files of deleted models and results. No transaction is open
 * during store operations. The row is deleted after the object: if the process dies in between, the object is removed again.
 */
export function removeOrphanedObjects({ db, store, log, stopping }: RemovalContext): TaskStep {
  // A function, since TypeScript assumes that a checked `aborted` stays false.
  const stopped = () => stopping.aborted;
  return async () => {
    const keys = await claimOrphanedObjects(db, objectsPerClaim, claimSeconds);
    for (const key of keys) {
      if (stopped()) return false;
      try {
        await store.delete(key, { signal: stopping });
        await forgetOrphanedObject(db, key);
      } catch (error) {
        // An object that cannot be removed must not block the others.
        if (!stopped()) log.warn({ err: error }, 'failed to remove orphaned objects; will retry');
      }
    }
    return keys.length === objectsPerClaim;
  };
}
