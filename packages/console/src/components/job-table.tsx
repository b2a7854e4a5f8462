import { formatAgo, formatSeconds } from '../format.ts';
import { useMay } from '../session/access.tsx';
import { isActive, isRefused, type ListedJob, useCancelJob } from '../use/jobs.ts';
import { Button } from './button.tsx';
import { JobProgress, JobStatus } from './job-status.tsx';
import { describeError } from './states.tsx';
import { Table, timeColumn } from './table.tsx';

const durationOf = ({ started_ts, finished_ts }: ListedJob) =>
  started_ts === null ? '–' : formatSeconds(((finished_ts ?? Date.now()) - started_ts) / 1000);

/** Jobs with how far they are, why they failed, and a way to cancel them. */
export function JobTable({ jobs }: { jobs: readonly ListedJob[] }) {
  const cancel = useCancelJob();
  const canCancel = useMay('cancelJob');
  const progressOf = (job: ListedJob) => {
    if (isActive(job))
      return (
        <div className="flex items-center gap-3">
          <JobProgress job={job} />
          {canCancel && (
            <Button
              look="danger"
              onClick={() => cancel.mutate(job.job_id)}
              disabled={cancel.isPending}
              aria-label={`Cancel ${job.name}`}
            >
              Cancel
            </Button>
          )}
        </div>
      );
    if (job.error) return <p className="text-bad">{job.error.message}</p>;
    if (isRefused(job)) return <p className="text-warn">Not deployed: the guard refused the model.</p>;
    return (
      <span className="text-muted">{job.retry_count > 0 ? `after ${job.retry_count} retries` : '–'}</span>
    );
  };
  return (
    <>
      {cancel.error && (
        <p role="alert" className="px-4 py-2 text-bad">
          {describeError(cancel.error).text}
        </p>
      )}
      <Table
        rows={jobs}
        keyOf={({ job_id }) => job_id}
        className="sm:min-w-160"
        columns={[
          {
            title: 'Job',
            className: 'max-w-72',
            cell: (job) => (
              <>
                <span className="block truncate font-medium">{job.name}</span>
                <span className="text-sm text-muted">
                  {job.job_type.toLowerCase()}
                  <span className="sm:hidden">
                    , {formatAgo(job.created_ts)}, took {durationOf(job)}
                  </span>
                </span>
              </>
            ),
          },
          { title: 'Status', cell: ({ job_status }) => <JobStatus status={job_status} /> },
          { title: 'Progress or reason', className: 'max-w-96', cell: progressOf },
          { ...timeColumn('Submitted', 'created_ts'), isWideOnly: true },
          {
            title: 'Took',
            isNumber: true,
            isWideOnly: true,
            className: 'whitespace-nowrap',
            cell: durationOf,
          },
        ]}
      />
    </>
  );
}
