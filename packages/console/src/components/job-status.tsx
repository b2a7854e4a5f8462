import { timeLeftOf } from '@tastegraph/sdk';
import { Ban, CircleCheck, CircleX, Clock, LoaderCircle } from 'lucide-react';
import { formatSeconds } from '../format.ts';
import type { ListedJob } from '../use/jobs.ts';
import { Badge, type Tone } from './badge.tsx';
import { Bar } from './bar.tsx';

const looks: Readonly<Record<ListedJob['job_status'], { tone: Tone; label: string; Icon: typeof Ban }>> = {
  PENDING: { tone: 'neutral', label: 'waiting', Icon: Clock },
  RUNNING: { tone: 'info', label: 'running', Icon: LoaderCircle },
  SUCCEED: { tone: 'good', label: 'succeeded', Icon: CircleCheck },
  FAILED: { tone: 'bad', label: 'failed', Icon: CircleX },
  CANCELED: { tone: 'neutral', label: 'canceled', Icon: Ban },
};

export function JobStatus({ status }: { status: ListedJob['job_status'] }) {
  const { tone, label, Icon } = looks[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden /> {label}
    </Badge>
  );
}

/** How far a job is, with the name of the stage. */
export function JobProgress({ job }: { job: ListedJob }) {
  const { progress } = job;
  if (!progress) return null;
  const percent = Math.round(progress.fraction * 100);
  const left = timeLeftOf(job);
  return (
    <div className="min-w-40">
      <div className="mb-1 flex justify-between gap-2 text-xs text-muted">
        <span className="truncate">{progress.message ?? progress.stage}</span>
        <span className="whitespace-nowrap tabular-nums">
          {left === undefined ? '' : `about ${formatSeconds(left)} left, `}
          {percent} %
        </span>
      </div>
      <Bar role="progressbar" label={`${job.name}: ${progress.stage}`} value={percent} max={100} />
    </div>
  );
}
