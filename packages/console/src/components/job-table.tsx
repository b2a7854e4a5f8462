import { formatAgo, formatSeconds, formatTime } from '../format.ts';
import { useMay } from '../session/access.tsx';
import { isActive, isRefused, type ListedJob, useCancelJob } from '../use/jobs.ts';
import { Button } from './button.tsx';
import { JobProgress, JobStatus } from './job-status.tsx';
import { describeError } from './states.tsx';
import { TableHead } from './table-head.tsx';

const durationOf = ({ started_ts, finished_ts }: ListedJob) =>
  started_ts === null ? '–' : formatSeconds(((finished_ts ?? Date.now()) - started_ts) / 1000);

/** Jobs with how far they are, why they failed, and a way to cancel them. */
export function JobTable({ jobs }: { jobs: readonly ListedJob[] }) {
  const cancel = useCancelJob();
  const canCancel = useMay('cancelJob');
  return (
    <div className="relative overflow-x-auto">
      {cancel.error && (
        <p role="alert" className="px-4 py-2 text-bad">
          {describeError(cancel.error).text}
        </p>
      )}
      <table className="w-full sm:min-w-160">
        <TableHead
          columns={[
            { title: 'Job' },
            { title: 'Status' },
            { title: 'Progress or reason' },
            { title: 'Submitted', isWideOnly: true },
            { title: 'Took', isNumber: true, isWideOnly: true },
          ]}
        />
        <tbody className="divide-y divide-line">
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td className="max-w-72 px-4 py-2">
                <span className="block truncate font-medium">{job.name}</span>
                <span className="text-sm text-muted">
                  {job.job_type.toLowerCase()}
                  <span className="sm:hidden">
                    , {formatAgo(job.created_ts)}, took {durationOf(job)}
                  </span>
                </span>
              </td>
              <td className="px-2 py-2">
                <JobStatus status={job.job_status} />
              </td>
              <td className="max-w-96 px-2 py-2">
                {isActive(job) ? (
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
                ) : job.error ? (
                  <p className="text-bad">{job.error.message}</p>
                ) : isRefused(job) ? (
                  <p className="text-warn">Not deployed: the guard refused the model.</p>
                ) : (
                  <span className="text-muted">
                    {job.retry_count > 0 ? `after ${job.retry_count} retries` : '–'}
                  </span>
                )}
              </td>
              <td className="px-2 py-2 whitespace-nowrap max-sm:hidden" title={formatTime(job.created_ts)}>
                {formatAgo(job.created_ts)}
              </td>
              <td className="px-4 py-2 text-right whitespace-nowrap tabular-nums max-sm:hidden">
                {durationOf(job)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
