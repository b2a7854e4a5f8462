import { datasetHandlers } from '../http/routes/datasets.ts';
import { jobHandlers } from '../http/routes/jobs.ts';
import { modelHandlers } from '../http/routes/models.ts';
import { projectHandlers } from '../http/routes/projects.ts';
import { recordHandlers } from '../http/routes/records.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import { countWaitingJobs } from '../storage/postgres/jobs.ts';
import { startHttp } from './http.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

export function openApi({ config, db, metrics }: Runtime, store: ObjectStore) {
  // Not by the workers: that jobs wait must be seen above all when there is none.
  metrics.watchJobs(() => countWaitingJobs(db));
  return {
    ...datasetHandlers,
    ...recordHandlers,
    ...projectHandlers(config.servingBaseUrl),
    ...jobHandlers(store),
    ...modelHandlers,
  };
}

export async function startApi(runtime: Runtime): Promise<string> {
  const { store } = await openObjects(runtime);
  return startHttp(runtime, openApi(runtime, store), store);
}
