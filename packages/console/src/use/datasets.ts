import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { type Project, useProject } from './projects.ts';

export interface DatasetSummary {
  readonly kind: 'users' | 'items' | 'events';
  readonly id: string;
  readonly name: string;
  readonly count: number;
  readonly ceiling: number;
  /** Only of events. Null if they are kept. */
  readonly retentionDays?: number | null;
}

const recordsPerShard = 100_000;

export const datasetsQuery = (client: Tastegraph, accountId: string, project: Project) => {
  const { project_id, user_dataset_id, item_dataset_id, event_dataset_id } = project;
  return queryOptions({
    queryKey: [accountId, 'datasets', project_id],
    queryFn: async ({ signal }): Promise<readonly DatasetSummary[]> => {
      const [users, items, events] = await Promise.all([
        client.getUserDataset({ user_dataset_id }, { signal }),
        client.getItemDataset({ item_dataset_id }, { signal }),
        client.getEventDataset({ event_dataset_id }, { signal }),
      ]);
      return [
        summarize('users', user_dataset_id, users),
        summarize('items', item_dataset_id, items),
        { ...summarize('events', event_dataset_id, events), retentionDays: events.retention_days },
      ];
    },
  });
};

/** The project's three datasets. */
export function useDatasets() {
  const { client, account } = useAccess();
  const query = datasetsQuery(client, account.account_id, useProject());
  return useQuery({ ...query, refetchInterval: 15_000 });
}

function summarize(
  kind: DatasetSummary['kind'],
  id: string,
  dataset: { name: string; record_count: number; num_shards: number },
): DatasetSummary {
  const { name, record_count, num_shards } = dataset;
  return { kind, id, name, count: record_count, ceiling: num_shards * recordsPerShard };
}

export const trainingCheckQuery = (client: Tastegraph, accountId: string, project_id: string) =>
  queryOptions({
    queryKey: [accountId, 'check', project_id],
    queryFn: ({ signal }) => client.checkTraining({ project_id }, { signal }),
    staleTime: 60_000,
  });

/** What training would find in the data. */
export function useTrainingCheck() {
  const { client, account } = useAccess();
  return useQuery(trainingCheckQuery(client, account.account_id, useProject().project_id));
}
