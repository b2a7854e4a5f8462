import { datasetHandlers } from '../http/routes/datasets.ts';
import { jobHandlers } from '../http/routes/jobs.ts';
import { modelHandlers } from '../http/routes/models.ts';
import { projectHandlers } from '../http/routes/projects.ts';
import { recordHandlers } from '../http/routes/records.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import { startHttp } from './http.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

export const apiHandlers = ({ config }: Runtime, store: ObjectStore) => ({
  ...datasetHandlers,
  ...recordHandlers,
  ...projectHandlers(config.servingBaseUrl),
  ...jobHandlers(store),
  ...modelHandlers,
});

export async function startApi(runtime: Runtime): Promise<string> {
  const { store } = await openObjects(runtime);
  return startHttp(runtime, apiHandlers(runtime, store), store);
}
