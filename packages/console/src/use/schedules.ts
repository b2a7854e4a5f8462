import { useQuery } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useChange } from './change.ts';
import { useProject } from './projects.ts';

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

export function useCreateSchedule() {
  const { project_id } = useProject();
  return useChange(
    (client, schedule: NewSchedule) => client.createSchedule({ project_id, ...schedule }),
    [['schedules', project_id]],
  );
}

export function useUpdateSchedule() {
  const { project_id } = useProject();
  return useChange(
    (client, change: Omit<Request<'updateSchedule'>, 'project_id'>) =>
      client.updateSchedule({ project_id, ...change }),
    ['schedules', 'jobs'].map((part) => [part, project_id]),
    { isReadAfterErrors: true },
  );
}

export function useDeleteSchedule() {
  const { project_id } = useProject();
  return useChange(
    (client, schedule_id: string) => client.deleteSchedule({ project_id, schedule_id }),
    [['schedules', project_id]],
  );
}

/** What a schedule can do, in words. */
export const scheduledTypes: Readonly<Record<ScheduledType, string>> = {
  TRAINING: 'Train a model',
  RECOMMENDING: 'Recommend to all users',
  CLUSTERING: 'Find clusters of users',
  QUERYING: 'Run a query on users',
  EXPORT: 'Export data',
};

/** When a schedule runs, in words, with the cron expression. */
export const times = {
  '0 3 * * *': 'Every night at 3:00',
  '0 3 * * 1': 'Every Monday at 3:00',
  '0 3 1 * *': 'On the first of each month at 3:00',
  '0 * * * *': 'Every hour',
} as const;

export const describeCron = (cron: string): string =>
  Object.hasOwn(times, cron) ? times[cron as keyof typeof times] : cron;

/** What the schedule does, and what happens to the model. */
export function describeWork({ job_type, deploy, guard }: NewSchedule['what']): string {
  if (job_type !== 'TRAINING' || deploy !== true) return scheduledTypes[job_type];
  return guard === undefined ? 'Train and deploy' : 'Train, then deploy unless it is worse';
}
