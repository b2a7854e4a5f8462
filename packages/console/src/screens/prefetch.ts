import type { Tastegraph } from '@tastegraph/sdk';
import { queryClient } from '../query-client.ts';
import { clientOf } from '../session/client.ts';
import type { Session } from '../session/session.ts';
import { datasetsQuery, trainingCheckQuery } from '../use/datasets.ts';
import { itemSampleQuery } from '../use/items.ts';
import { jobsQuery } from '../use/jobs.ts';
import { modelsQuery } from '../use/models.ts';
import { projectQuery, projectsQuery } from '../use/projects.ts';
import { scenariosQuery } from '../use/scenarios.ts';
import { statisticsQuery } from '../use/statistics.ts';

interface Opened {
  readonly context: { readonly session: Session };
  readonly params: { readonly accountId: string; readonly projectId: string };
}

/** What a screen reads first, asked for while its code loads. Nothing waits for it. */
function prefetch(ask: (client: Tastegraph, accountId: string, projectId: string) => Promise<unknown>[]) {
  return ({ context: { session }, params: { accountId, projectId } }: Opened): void => {
    if (!session.accounts.some(({ account_id }) => account_id === accountId)) return;
    // The screen asks for the same, and shows what went wrong.
    for (const asked of ask(clientOf(session, accountId), accountId, projectId)) asked.catch(() => undefined);
  };
}

export const prefetchProject = prefetch((client, accountId, projectId) => [
  queryClient.query(projectQuery(client, accountId, projectId)),
  queryClient.query(projectsQuery(client, accountId)),
]);

/** Only what the stages at the top show: each call costs the main thread time before the first paint. The cards ask for theirs. */
export const prefetchOverview = prefetch((client, accountId, projectId) => [
  queryClient.query(statisticsQuery(client, accountId, projectId, 'day')),
  queryClient.query(modelsQuery(client, accountId, projectId)),
  queryClient.query(jobsQuery(client, accountId, projectId)),
  queryDatasets(client, accountId, projectId),
]);

export const prefetchData = prefetch((client, accountId, projectId) => [
  queryDatasets(client, accountId, projectId),
  queryClient.query(statisticsQuery(client, accountId, projectId, 'quarter')),
  queryClient.query(trainingCheckQuery(client, accountId, projectId)),
]);

export const prefetchPlayground = prefetch((client, accountId, projectId) => [
  queryClient
    .query(projectQuery(client, accountId, projectId))
    .then(({ item_dataset_id }) => queryClient.query(itemSampleQuery(client, accountId, item_dataset_id))),
]);

export const prefetchScenarios = prefetch((client, accountId, projectId) => [
  queryClient.query(scenariosQuery(client, accountId, projectId)),
]);

export const prefetchModels = prefetch((client, accountId, projectId) => [
  queryClient.query(modelsQuery(client, accountId, projectId)),
  queryClient.query(jobsQuery(client, accountId, projectId)),
]);

const queryDatasets = (client: Tastegraph, accountId: string, projectId: string) =>
  queryClient
    .query(projectQuery(client, accountId, projectId))
    .then((project) => queryClient.query(datasetsQuery(client, accountId, project)));
