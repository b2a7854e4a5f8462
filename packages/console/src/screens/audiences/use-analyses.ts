import { useQuery } from '@tanstack/react-query';
import type { Request } from '@tastegraph/sdk';
import { useAccess } from '../../session/access.tsx';
import { isActive, type ListedJob, useSubmit } from '../../use/jobs.ts';
import { useProject } from '../../use/projects.ts';
import { type ClusterMapFile, type Distribution, readResult, readStart } from './read-result.ts';

const shownJobs = 50;
const pollMs = 1500;
const idlePollMs = 30_000;
/** Links work for a day, and files never change. */
const keptMs = 12 * 3600_000;
/** About 1,000 users: enough to see who is in a list, however long it is. */
const startBytes = 64 * 1024;

export type AnalysisKind = 'clusters' | 'distributions' | 'lists';

const queryTypes = { distributions: 'user_distribution', lists: 'user_list' } as const;

function isOfKind(job: ListedJob, kind: AnalysisKind): boolean {
  if (kind === 'clusters') return true;
  const data = job.job_data;
  return data !== null && 'query_type' in data && data.query_type === queryTypes[kind];
}

/** The newest jobs of a kind, looked at often while one of them is under way. */
export function useAnalyses(kind: AnalysisKind) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const job_type = kind === 'clusters' ? 'CLUSTERING' : 'QUERYING';
  return useQuery({
    queryKey: [account.account_id, 'jobs', project_id, job_type],
    queryFn: async ({ signal }) =>
      (await client.listJobs({ project_id, job_type, page_size: shownJobs }, { signal })).jobs,
    select: (jobs) => jobs.filter((job) => isOfKind(job, kind)),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? pollMs : idlePollMs),
  });
}

/** The result of a job: its links, and what `read` makes of its files. */
function useResult<T>(job: ListedJob, read: (result: FilesResult, signal: AbortSignal) => Promise<T>) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const { job_id } = job;
  return useQuery({
    queryKey: [account.account_id, 'result', project_id, job_id],
    queryFn: async ({ signal }) => {
      const { job_result: result } = await client.getJob({ project_id, job_id }, { signal });
      if (!result || !('download_url' in result)) throw new Error('The job has no files.');
      if (result.expired_at_sec * 1000 < Date.now())
        throw new Error(result.message ?? 'The result has expired. Start the job again.');
      return { result, read: await read(result, signal) };
    },
    staleTime: keptMs,
  });
}

type FilesResult = Extract<ListedJob['job_result'], { download_url: string }>;

export const useClusterMap = (job: ListedJob) =>
  useResult(job, async ({ map_url }, signal) =>
    map_url === undefined ? undefined : await readResult<ClusterMapFile>(map_url, signal),
  );

export const useDistributions = (job: ListedJob) =>
  useResult(job, ({ download_url }, signal) =>
    readResult<{ distributions: readonly Distribution[] }>(download_url, signal),
  );

export const useListStart = (job: ListedJob) =>
  useResult(job, ({ download_url }, signal) => readStart(download_url, startBytes, signal));

export const useSubmitClustering = () =>
  useSubmit((client, request: Request<'submitClusteringJob'>) => client.submitClusteringJob(request));

export const useSubmitQuerying = () =>
  useSubmit((client, request: Request<'submitQueryingJob'>) => client.submitQueryingJob(request));
