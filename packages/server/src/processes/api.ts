import { datasetHandlers } from '../http/routes/datasets.ts';
import { jobHandlers } from '../http/routes/jobs.ts';
import { modelHandlers } from '../http/routes/models.ts';
import { projectHandlers } from '../http/routes/projects.ts';
import { recordHandlers } from '../http/routes/records.ts';
import { startHttp } from './http.ts';
import type { Runtime } from './run.ts';

export const apiHandlers = ({ config }: Runtime) => ({
  ...datasetHandlers,
  ...recordHandlers,
  ...projectHandlers(config.servingBaseUrl),
  ...jobHandlers,
  ...modelHandlers,
});

export async function startApi(runtime: Runtime): Promise<string> {
  return startHttp(runtime, apiHandlers(runtime));
}
