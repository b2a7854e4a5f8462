import { repeat } from '../kernel/lib/repeat.ts';
import type { Log } from '../kernel/observability/log.ts';
import { claimPeriodicTask, endPeriodicStep } from '../kernel/postgres/periodic-tasks.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { recordDatasetSizes } from './rows/record-history.ts';

const task = 'record dataset sizes';
const datasetsPerStep = 500;
/** The last round of a day is at most this long before its end. */
const roundSeconds = 600;
/** Longer than a step takes. After that, another worker continues from the same position. */
const claimSeconds = 60;
/** How soon a worker notices that a round is due. */
const pauseMs = 30_000;

/** Every ten minutes, writes how many records each dataset has today, a step at a time. One worker at a time. */
export async function recordSizes(db: Database, log: Log, stopping: AbortSignal): Promise<void> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'failed to record the sizes of datasets; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const step = await claimPeriodicTask(db, task, claimSeconds);
    if (!step) return false;
    const { last, datasets } = await recordDatasetSizes(db, Number(step.position ?? 0), datasetsPerStep);
    const hasMore = datasets === datasetsPerStep && last !== null;
    await endPeriodicStep(db, task, hasMore ? String(last) : null, hasMore ? 0 : roundSeconds);
    return hasMore;
  });
}
