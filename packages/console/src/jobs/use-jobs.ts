import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Response, Tastegraph } from '@tastegraph/sdk';
import { useEffect, useRef } from 'react';
import { useProject } from '../projects/project-context.ts';
import { useAccess } from '../session/access.tsx';

export type ListedJob = Response<'listJobs'>['jobs'][number];

const shownJobs = 50;
const pollMs = 1500;
const idlePollMs = 15_000;

export const isActive = ({ job_status }: ListedJob) => job_status === 'PENDING' || job_status === 'RUNNING';

export const jobsQuery = (client: Tastegraph, accountId: string, project_id: string) =>
  queryOptions({
    queryKey: [accountId, 'jobs', project_id],
    queryFn: async ({ signal }) =>
      (await client.listJobs({ project_id, page_size: shownJobs }, { signal })).jobs,
  });

/** The newest jobs of the project, looked at often while one of them is under way. */
export function useJobs() {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const query = useQuery({
    ...jobsQuery(client, account.account_id, project_id),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? pollMs : idlePollMs),
  });
  useRefreshAfterJobs(query.data);
  return query;
}

/** A job that ends has a model or a deployment as its result: what shows them is read again. */
function useRefreshAfterJobs(jobs: readonly ListedJob[] | undefined): void {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  const { project_id } = useProject();
  const active = useRef<readonly string[]>([]);
  useEffect(() => {
    if (!jobs) return;
    const now = jobs.filter(isActive).map(({ job_id }) => job_id);
    const hasEnded = active.current.some((id) => !now.includes(id));
    active.current = now;
    if (!hasEnded) return;
    for (const part of ['models', 'project'])
      void queryClient.invalidateQueries({ queryKey: [account.account_id, part, project_id] });
  }, [jobs, queryClient, account.account_id, project_id]);
}

export function useRefreshJobs(): () => Promise<void> {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  const { project_id } = useProject();
  return () => queryClient.invalidateQueries({ queryKey: [account.account_id, 'jobs', project_id] });
}

export function useCancelJob() {
  const { client } = useAccess();
  const { project_id } = useProject();
  const refresh = useRefreshJobs();
  return useMutation({
    mutationFn: (job_id: string) => client.cancelJob({ project_id, job_id }),
    onSettled: refresh,
  });
}
