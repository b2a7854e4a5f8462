import { CalendarClock, FastForward, Pause, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { JobStatus } from '../../components/job-status.tsx';
import { EmptyState, ErrorState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatNumberOf, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { useJobs } from '../../use/jobs.ts';
import {
  describeCron,
  describeWork,
  type Schedule,
  useDeleteSchedule,
  useSchedules,
  useUpdateSchedule,
} from '../../use/schedules.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

/** The jobs that the service submits by itself. */
export function SchedulesTab() {
  const schedules = useSchedules();
  const canCreate = useMay('createSchedule');
  const update = useUpdateSchedule();
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Schedule>();
  const [deleted, setDeleted] = useState<Schedule>();
  const newSchedule = canCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> New schedule
    </Button>
  );
  return (
    <Card
      title="Schedules"
      hint="jobs of this project that run by themselves"
      actions={schedules.data?.length !== 0 && newSchedule}
    >
      {update.error && <ErrorState error={update.error} />}
      <QueryView query={schedules}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<CalendarClock aria-hidden />} title="No schedules yet" action={newSchedule}>
              Tastes change. Let the service train a model every night on the newest events, and deploy it if
              it is not worse than the deployed one.
            </EmptyState>
          ) : (
            <div className="relative overflow-x-auto">
              <table className="w-full min-w-176">
                <TableHead
                  columns={[
                    { title: 'Schedule' },
                    { title: 'When' },
                    { title: 'Next run' },
                    { title: 'Last run' },
                    { title: 'Missed' },
                    { title: 'Actions', isHidden: true },
                  ]}
                />
                <tbody className="divide-y divide-line">
                  {list.map((schedule) => (
                    <Row
                      key={schedule.schedule_id}
                      schedule={schedule}
                      isChanging={update.isPending}
                      onChange={(change) => update.mutate({ schedule_id: schedule.schedule_id, ...change })}
                      onEdit={() => setEdited(schedule)}
                      onDelete={() => setDeleted(schedule)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </QueryView>
      {isCreating && <ScheduleDialog onClose={() => setCreating(false)} />}
      {edited && <ScheduleDialog schedule={edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteDialog schedule={deleted} onClose={() => setDeleted(undefined)} />}
    </Card>
  );
}

interface RowProps {
  readonly schedule: Schedule;
  readonly isChanging: boolean;
  readonly onChange: (change: { paused?: boolean; run_now?: boolean }) => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function Row({ schedule, isChanging, onChange, onEdit, onDelete }: RowProps) {
  const { name, what, cron, time_zone, paused, next_run_ts, missed_runs, last_missed } = schedule;
  const canChange = useMay('updateSchedule');
  const canDelete = useMay('deleteSchedule');
  return (
    <tr>
      <td className="max-w-64 px-4 py-2">
        <span className="block truncate font-medium">{name}</span>
        <span className="text-sm text-muted">{describeWork(what)}</span>
      </td>
      <td className="px-2 py-2">
        <span className="block">{describeCron(cron)}</span>
        <span className="text-sm text-muted">{time_zone}</span>
      </td>
      <td className="px-2 py-2 whitespace-nowrap">
        {next_run_ts === null ? (
          <Badge>paused</Badge>
        ) : (
          <span title={formatTime(next_run_ts)}>{formatAgo(next_run_ts)}</span>
        )}
      </td>
      <td className="px-2 py-2 whitespace-nowrap">
        <LastRun schedule={schedule} />
      </td>
      <td className="max-w-56 px-2 py-2">
        {missed_runs === 0 || !last_missed ? (
          <span className="text-muted">none</span>
        ) : (
          <>
            <span className="text-warn">{formatNumberOf(missed_runs, 'run')}</span>
            <span className="block text-sm text-muted">
              {formatAgo(last_missed.scheduled_ts)}: {last_missed.message}
            </span>
          </>
        )}
      </td>
      <td className="px-4 py-2">
        <div className="flex justify-end gap-1">
          {canChange && (
            <>
              <IconButton
                label={`Run ${name} now`}
                disabled={isChanging || paused}
                onClick={() => onChange({ run_now: true })}
              >
                <FastForward aria-hidden />
              </IconButton>
              <IconButton
                label={paused ? `Resume ${name}` : `Pause ${name}`}
                disabled={isChanging}
                onClick={() => onChange({ paused: !paused })}
              >
                {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
              </IconButton>
              <IconButton label={`Edit ${name}`} onClick={onEdit}>
                <Pencil aria-hidden />
              </IconButton>
            </>
          )}
          {canDelete && (
            <IconButton label={`Delete ${name}`} onClick={onDelete}>
              <Trash2 aria-hidden />
            </IconButton>
          )}
        </div>
      </td>
    </tr>
  );
}

function LastRun({ schedule: { last_run } }: { schedule: Schedule }) {
  const jobs = useJobs();
  if (!last_run) return <span className="text-muted">never</span>;
  const job = jobs.data?.find(({ job_id }) => job_id === last_run.job_id);
  return (
    <>
      <span title={formatTime(last_run.ts)}>{formatAgo(last_run.ts)}</span>
      {job && (
        <span className="block">
          <JobStatus status={job.job_status} />
        </span>
      )}
    </>
  );
}

function DeleteDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const remove = useDeleteSchedule();
  return (
    <ConfirmDialog
      title={`Delete ${schedule.name}?`}
      action="Delete"
      change={remove}
      onConfirm={() => remove.mutate(schedule.schedule_id, { onSuccess: onClose })}
      onClose={onClose}
    >
      It starts no further runs. Its jobs and models stay, and a job that is running goes on.
    </ConfirmDialog>
  );
}
