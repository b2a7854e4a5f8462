import { type Downloads, openDownloads } from '../domain/download/downloads.ts';
import { apiKeyHandlers } from '../http/routes/api-keys.ts';
import { datasetHandlers } from '../http/routes/datasets.ts';
import { erasureHandlers } from '../http/routes/erasures.ts';
import { experimentHandlers } from '../http/routes/experiments.ts';
import { jobHandlers } from '../http/routes/jobs.ts';
import { modelHandlers } from '../http/routes/models.ts';
import { peopleHandlers } from '../http/routes/people.ts';
import { projectHandlers } from '../http/routes/projects.ts';
import { recommendationHandlers } from '../http/routes/recommendations.ts';
import { recordHandlers } from '../http/routes/records.ts';
import { scenarioHandlers } from '../http/routes/scenarios.ts';
import { scheduleHandlers } from '../http/routes/schedules.ts';
import { usageHandlers } from '../http/routes/usage.ts';
import { webhookHandlers } from '../http/routes/webhooks.ts';
import { submitHandlers } from '../jobs/registry.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import { countWaitingJobs } from '../storage/postgres/jobs.ts';
import { findAttributionAge } from '../storage/postgres/outcome-states.ts';
import { openConsolePages } from './console-pages.ts';
import { startHttp } from './http.ts';
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
