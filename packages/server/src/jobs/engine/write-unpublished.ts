import { insertOrphanedObjects } from '../../kernel/objects/orphaned-objects.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { Attempt } from '../rows/attempts.ts';

/**
 * Runs `write`, and returns its result with a function that discards the objects. The objects are recorded as orphaned
 * before they are written. If writing fails, they stay recorded, so that a worker removes them.
 */
export async function writeUnpublished<Written>(
  db: Database,
  keys: readonly string[],
  attempt: Attempt,
  write: () => Promise<Written>,
): Promise<{ written: Written; discard: () => Promise<void> }> {
  await insertOrphanedObjects(db, keys, attempt);
  // Recorded again: a worker that was given up may finish a file after another worker removed it.
  const discard = () => insertOrphanedObjects(db, keys, undefined);
  try {
    return { written: await write(), discard };
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
}
