import { counter, gauge } from '../kernel/observability/metrics.ts';

/** How a job attempt ended. GIVEN_BACK: requeued because the worker stops. LOST: the job was canceled, deleted or reassigned. */
export type JobEnd = 'SUCCEED' | 'FAILED' | 'RETRIED' | 'GIVEN_BACK' | 'LOST';

export const jobsStarted = counter<{ type: string }>('jobs_taken_total', 'Jobs that this worker started', {
  labels: ['type'],
});

export const jobsEnded = counter<{ type: string; status: JobEnd }>(
  'jobs_ended_total',
  'Job attempts of this worker that ended, by status',
  { labels: ['type', 'status'] },
);

export const jobsWaiting = gauge<{ type: string }>(
  'jobs_waiting',
  'Jobs in the whole cell that wait for a free worker, counted up to 10,000',
  { labels: ['type'] },
);

export const longestWait = gauge<{ type: string }>(
  'jobs_longest_wait_seconds',
  'How long the longest-waiting job has waited',
  { labels: ['type'] },
);

export const orphanedObjects = counter(
  'orphaned_objects_total',
  'Objects without a database row that this worker found in the object store',
);
