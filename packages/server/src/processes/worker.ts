import { purgeDatasets } from '../jobs/purge-datasets.ts';
import type { Runtime } from './run.ts';

export async function startWorker({ log, db, closers, stopping }: Runtime): Promise<void> {
  const purging = purgeDatasets(db, log, stopping);
  // `stopping` ends it after the step it is in.
  closers.add('purge', 30_000, () => purging);
  log.info('the worker is running');
}
