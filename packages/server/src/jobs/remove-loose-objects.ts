import { repeat } from '../lib/repeat.ts';
import type { Log } from '../observability/log.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import { claimLooseObject, deleteLooseObjects } from '../storage/postgres/loose-objects.ts';
import type { Database } from '../storage/postgres/pool.ts';

/** How long an object that nobody wants may lie about. */
const pauseMs = 2000;

/** Removes objects that nothing refers to, until `stopping`: what attempts left that failed, and the files of deleted models. */
export async function removeLooseObjects(
  db: Database,
  store: ObjectStore,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'removing objects that nobody needs will be tried again');
  // One that cannot be removed must not hold up those behind it: they go on from there, and it is tried again in the next round.
  let last = '';
  await repeat({ pauseMs, stopping, onError }, () =>
    db.transaction(async (tx) => {
      const key = await claimLooseObject(tx, last);
      last = key ?? '';
      if (key === undefined) return false;
      // Then the row: should the process end between them, the object is removed a second time, which is well.
      await store.delete(key, { signal: stopping });
      await deleteLooseObjects(tx, [key]);
      return true;
    }),
  );
}
