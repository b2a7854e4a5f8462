import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Response, SucceededJob, Tastegraph } from '@tastegraph/sdk';
import { useEffect, useRef } from 'react';
import { formatNumberOf, formatPercent } from '../format.ts';
import { useAccess } from '../session/access.tsx';
import { useChange } from './change.ts';
import { useProject } from './projects.ts';

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

/** A call that submits a job of the project. */
export function useSubmit<Argument, Result>(
  call: (client: Tastegraph, argument: Argument) => Promise<Result>,
) {
  const { project_id } = useProject();
  return useChange(call, [['jobs', project_id]]);
}

export function useCancelJob() {
  const { project_id } = useProject();
  return useChange(
    (client, job_id: string) => client.cancelJob({ project_id, job_id }),
    [['jobs', project_id]],
    { isReadAfterErrors: true },
  );
}

type DeploymentResult = SucceededJob<'DEPLOYMENT'>['job_result'];
export type GuardReport = NonNullable<DeploymentResult['guard']>;

/** The result of a deployment that has succeeded. */
export const deploymentResult = ({ job_type, job_result }: ListedJob): DeploymentResult | undefined =>
  job_type === 'DEPLOYMENT' && job_result !== null ? (job_result as DeploymentResult) : undefined;

/** Whether a guard kept the deployment before. */
export const isRefused = (job: ListedJob): boolean => deploymentResult(job)?.deployed === false;

/** What the guard found, in words. Without the name of the model. */
export function describeGuard({ verdict, users, loss }: GuardReport, isDeployed: boolean): string {
  if (verdict === 'NOTHING_DEPLOYED') return 'Nothing was deployed to compare with.';
  if (!loss)
    return `There was too little to compare on: ${formatNumberOf(users, 'user')} with newer target events. ${isDeployed ? 'It was deployed without a comparison.' : 'As the deployment asked, it was refused then.'}`;
  const share = (value: number) => formatPercent(Math.abs(value), 1);
  const found =
    loss.value > 0
      ? `It predicts the newest events ${share(loss.value)} worse than the deployed model`
      : `It predicts the newest events ${share(loss.value)} better than the deployed model`;
  return `${found}, on the same ${formatNumberOf(users, 'user')}. ${
    verdict === 'REFUSED'
      ? `Even at the lucky end of the interval it loses ${share(loss.low)}: that is not chance.`
      : 'That is within what the guard accepts.'
  }`;
}
