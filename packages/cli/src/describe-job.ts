import { type Job, timeLeftOf } from '@tastegraph/sdk';
import { formatDuration, formatTimestamp } from './terminal/format.ts';
import { detailsTable } from './terminal/table.ts';

/** What a job is doing, for a reader who does not know the service. Other stages are shown as they are. */
const stages: Readonly<Record<string, string>> = {
  waiting: 'waiting for a worker',
  reading: 'reading the data',
  searching: 'choosing the parameters',
  fitting: 'fitting the model',
  writing: 'writing the result',
  checking: 'checking the models',
  comparing: 'comparing with the deployed model',
  trying: 'trying the models',
  grouping: 'finding clusters',
  naming: 'naming the clusters',
  answering: 'answering the queries',
  drawing: 'drawing the charts',
  publishing: 'publishing the result',
};

export const describeStage = (stage: string): string => stages[stage] ?? stage;

const outcomes: Readonly<Record<Job['job_status'], string>> = {
  PENDING: 'is waiting',
  RUNNING: 'is running',
  SUCCEED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'was canceled',
};

/** One sentence about the job, then what there is to know about it. */
export function describeJob(job: Job, projectName: string): string {
  const { job_type, name, job_status, retry_count, error } = job;
  const type = inWords(job_type.toLowerCase());
  const took = durationOf(job);
  const entries: [string, unknown][] = [
    ...progressOf(job),
    ...fieldsOf(job.job_result),
    ...fieldsOf(job.job_data),
    ['project', projectName],
    ['created', formatTimestamp(job.created_ts)],
    ['started', formatTimestamp(job.started_ts)],
    ['ended', formatTimestamp(job.finished_ts)],
    ['retries', retry_count],
    ['id', job.job_id],
  ];
  if (error) entries.unshift(['why', `${error.message} (${error.code})`]);
  const after = took === null ? '' : ` after ${took}`;
  const head = `${type.charAt(0).toUpperCase()}${type.slice(1)} “${name}” ${outcomes[job_status]}${after}.`;
  return `${head}\n${detailsTable(entries)}`;
}

/** From the first attempt to the end; null before that. */
export const durationOf = ({ started_ts, finished_ts }: Pick<Job, 'started_ts' | 'finished_ts'>) =>
  started_ts === null || finished_ts === null ? null : formatDuration(finished_ts - started_ts);

function progressOf(job: Job): [string, unknown][] {
  const { progress } = job;
  if (!progress || (job.job_status !== 'RUNNING' && job.job_status !== 'PENDING')) return [];
  const left = timeLeftOf(job);
  const parts = [
    `${Math.round(progress.fraction * 100)} %`,
    describeStage(progress.stage),
    progress.message,
    left !== undefined && `about ${formatDuration(1000 * left)} left`,
  ];
  return [['progress', parts.filter(Boolean).join(', ')]];
}

/** What was submitted or returned, without what is empty: that was left to the service. */
function fieldsOf(part: object | null): [string, unknown][] {
  return Object.entries(part ?? {})
    .filter(
      ([, value]) => value !== null && (typeof value !== 'object' || Object.keys(value as object).length > 0),
    )
    .map(([name, value]) => [inWords(name).replace(/ id$/, ''), value]);
}

const inWords = (name: string) => name.replaceAll('_', ' ');
