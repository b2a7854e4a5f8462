import { counter } from '../kernel/observability/metrics.ts';

export const scheduledRuns = counter<{ outcome: 'started' | 'missed' }>(
  'scheduled_runs_total',
  'Runs of schedules, by outcome: started or missed',
  { labels: ['outcome'], zeros: [{ outcome: 'missed' }] },
);
