import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import { claimPeriodicTask, endPeriodicStep } from '../../kernel/postgres/periodic-tasks.ts';
import type { TaskStep } from '../../module.ts';
import type { Services } from '../../services.ts';
import { orphanedObjects } from '../metrics.ts';
import { insertUnreferencedObjects } from '../rows/orphaned-objects.ts';

export interface SweepContext extends Pick<Services, 'db' | 'log' | 'metrics'> {
  readonly store: Pick<ObjectStore, 'list'>;
  /** Younger objects are not checked. Rows are written before objects: a margin for clock skew and human error. */
  readonly minAgeMs?: number;
}

const task = 'sweep_objects';
/** Objects that workers write. We do not remove anything else from the store, such as batches of the decision log. */
const jobObjects = /^(?:models|results|decisions\/acc_[^/]+)\//;
const dayMs = 24 * 3600_000;
/** Pause between rounds. */
const roundSeconds = 24 * 3600;
/** Longer than a page takes. After that, another worker continues from the same position. */
const claimSeconds = 600;
/** Pause between pages, to limit the load on a large store. */
const pagePauseMs = 100;

/**
 * Once a day, searches the object store page by page for objects that no row refers to, and has them removed: leftovers
 * of an older version, or of a crash that no other cleanup covers. One worker at a time.
 */
export function sweepObjects(context: SweepContext & Pick<Services, 'stopping'>): TaskStep {
  return async () => {
    const hasMore = await sweepPage(context);
    if (hasMore) await sleep(pagePauseMs, undefined, { signal: context.stopping }).catch(() => undefined);
    return hasMore;
  };
}

/** Checks one page. False at the end of a round, or if no round is due. */
export async function sweepPage({
  db,
  store,
  log,
  metrics,
  minAgeMs = dayMs,
}: SweepContext): Promise<boolean> {
  const step = await claimPeriodicTask(db, task, claimSeconds);
  if (!step) return false;
  // List the store before reading rows: objects written from now on are not in the page.
  const { objects, next } = await store.list('', { after: step.position ?? undefined });
  const newest = Date.now() - minAgeMs;
  const old = objects.filter(({ key, modifiedMs }) => jobObjects.test(key) && modifiedMs <= newest);
  const keys = old.map(({ key }) => key);
  const found = new Set(await insertUnreferencedObjects(db, keys));
  if (found.size > 0) {
    const bytes = old.reduce((sum, { key, size }) => sum + (found.has(key) ? size : 0), 0);
    metrics.add(orphanedObjects, {}, found.size);
    log.warn(
      { objects: found.size, bytes, listed: objects.length },
      'removing objects that have no database row',
    );
  }
  await endPeriodicStep(db, task, next ?? null, next === undefined ? roundSeconds : 0);
  return next !== undefined;
}
