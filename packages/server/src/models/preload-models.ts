import { within } from '../kernel/lib/within.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { ModelCache } from './model-cache.ts';
import { listDeployedModels } from './rows.ts';

/** The start does not wait longer for a slow store. Models that are not loaded by then are loaded on the first call. */
const preloadMs = 60_000;
/** As many as the cache loads at once. */
const concurrency = 4;

interface PreloadContext {
  readonly db: Queryable;
  readonly models: Pick<ModelCache, 'get' | 'hasRoomFor'>;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/** Loads the deployed models, the latest first, until the memory is full. */
export async function preloadModels({ db, models, log, stopping }: PreloadContext): Promise<void> {
  const end = performance.now() + preloadMs;
  const listed = listDeployedModels(db);
  const loadInTurn = async () => {
    for (;;) {
      const { value: model } = await listed.next();
      if (!model || stopping.aborted || performance.now() > end || !models.hasRoomFor(model)) return;
      await within(end - performance.now(), models.get(model)).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to load a deployed model'),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loadInTurn));
}
