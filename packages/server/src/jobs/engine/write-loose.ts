import type { Attempt } from '../../storage/postgres/attempts.ts';
import { insertLooseObjects } from '../../storage/postgres/loose-objects.ts';
import type { Database } from '../../storage/postgres/pool.ts';

/**
 * What `write` comes to, and how to give up what it wrote. The objects are known to be loose before they are written, and
 * still are when that fails: somebody removes them then.
 */
export async function writeLoose<Written>(
  db: Database,
  keys: readonly string[],
  attempt: Attempt,
  write: () => Promise<Written>,
): Promise<{ written: Written; discard: () => Promise<void> }> {
  await insertLooseObjects(db, keys, attempt);
  // A worker that was given up may end its files after another removed what was there of them.
  const discard = () => insertLooseObjects(db, keys, undefined);
  try {
    return { written: await write(), discard };
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
}
