import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useProject } from '../projects/project-context.ts';
import { useAccess } from '../session/access.tsx';

export type Schedule = Response<'getSchedule'>;
export type NewSchedule = Omit<Request<'createSchedule'>, 'project_id'>;
export type ScheduledType = NewSchedule['what']['job_type'];

/** More than a project can have. */
const pageSize = 100;
const pollMs = 15_000;

/** The schedules of the project, newest first. */
export function useSchedules() {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'schedules', project_id],
    queryFn: async ({ signal }) =>
      (await client.listSchedules({ project_id, page_size: pageSize }, { signal })).schedules,
    refetchInterval: pollMs,
  });
}

function useRefresh() {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  const { project_id } = useProject();
  return () => queryClient.invalidateQueries({ queryKey: [account.account_id, 'schedules', project_id] });
}

export function useCreateSchedule() {
  const { client } = useAccess();
  const { project_id } = useProject();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (schedule: NewSchedule) => client.createSchedule({ project_id, ...schedule }),
    onSuccess: refresh,
  });
}

export function useUpdateSchedule() {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: Omit<Request<'updateSchedule'>, 'project_id'>) =>
      client.updateSchedule({ project_id, ...change }),
    onSettled: async () => {
      await refresh();
      await queryClient.invalidateQueries({ queryKey: [account.account_id, 'jobs', project_id] });
    },
  });
}

export function useDeleteSchedule() {
  const { client } = useAccess();
  const { project_id } = useProject();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (schedule_id: string) => client.deleteSchedule({ project_id, schedule_id }),
    onSuccess: refresh,
  });
}
