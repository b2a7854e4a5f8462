import { datasetHandlers } from '../datasets/api.ts';
import { recordHandlers } from '../datasets/records/api.ts';
import { erasureHandlers } from '../erasure/api.ts';
import { experimentHandlers } from '../experiments/api.ts';
import { jobHandlers } from '../jobs/api.ts';
import { type Downloads, openDownloads } from '../jobs/downloads/downloads.ts';
import { countWaitingJobs } from '../jobs/rows/jobs.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import { apiKeyHandlers } from '../keys/api.ts';
import { recommendationHandlers } from '../outcomes/api.ts';
import { findAttributionAge } from '../outcomes/rows/outcome-states.ts';
import { peopleHandlers } from '../people/api.ts';
import { projectHandlers } from '../projects/api.ts';
import { modelHandlers } from '../projects/models-api.ts';
import { scenarioHandlers } from '../scenarios/api.ts';
import { scheduleHandlers } from '../schedules/api.ts';
import { usageHandlers } from '../usage/api.ts';
import { webhookHandlers } from '../webhooks/api.ts';
import { openConsolePages } from './console-pages.ts';
import { startHttp } from './http.ts';
import { submitHandlers } from './job-types.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

export function openApi({ config, db, metrics }: Runtime, store: ObjectStore, downloads: Downloads) {
  // Reported here and not by the workers, because it matters most when no worker is running.
  metrics.watchJobs(() => countWaitingJobs(db));
  metrics.watchAttribution(() => findAttributionAge(db));
  return {
    ...datasetHandlers,
    ...recordHandlers,
    ...erasureHandlers,
    ...projectHandlers(config.servingBaseUrl),
    ...jobHandlers(downloads),
    ...submitHandlers,
    ...modelHandlers,
    ...scenarioHandlers,
    ...experimentHandlers,
    ...scheduleHandlers,
    ...webhookHandlers(config.webhooks),
    ...recommendationHandlers({ store, keptDays: config.jobs.decisionLogDays }),
    ...usageHandlers,
    ...peopleHandlers(config.baseUrl),
    ...apiKeyHandlers(config.cell),
  };
}

export async function startApi(runtime: Runtime): Promise<string> {
  const { store } = await openObjects(runtime);
  const downloads = await openDownloads(runtime.db, store, runtime.config.baseUrl);
  const consolePages = await openConsolePages(runtime);
  return startHttp(runtime, openApi(runtime, store, downloads), { downloads, consolePages });
}
