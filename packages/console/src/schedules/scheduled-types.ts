import type { NewSchedule, ScheduledType } from './use-schedules.ts';

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
