import { CalendarClock, FastForward, Pause, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { JobStatus } from '../../components/job-status.tsx';
import { timeColumn } from '../../components/table.tsx';
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
import { ResourceCard } from './resource-card.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';

/** The jobs that the service submits by itself. */
export function SchedulesTab() {
  const schedules = useSchedules();
  const update = useUpdateSchedule();
  const { dialog, show } = useDialog();
  const canCreate = useMay('createSchedule');
  const canChange = useMay('updateSchedule');
  const canDelete = useMay('deleteSchedule');
  const actionsOf = (schedule: Schedule) => {
    const { schedule_id, name, paused } = schedule;
    return (
      <div className="flex justify-end gap-1">
        {canChange && (
          <>
            <IconButton
              label={`Run ${name} now`}
              disabled={update.isPending || paused}
              onClick={() => update.mutate({ schedule_id, run_now: true })}
            >
              <FastForward aria-hidden />
            </IconButton>
            <IconButton
              label={paused ? `Resume ${name}` : `Pause ${name}`}
              disabled={update.isPending}
              onClick={() => update.mutate({ schedule_id, paused: !paused })}
            >
              {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
            </IconButton>
            <IconButton
              label={`Edit ${name}`}
              onClick={() => show((close) => <ScheduleDialog schedule={schedule} onClose={close} />)}
            >
              <Pencil aria-hidden />
            </IconButton>
          </>
        )}
        {canDelete && (
          <IconButton
            label={`Delete ${name}`}
            onClick={() => show((close) => <DeleteDialog schedule={schedule} onClose={close} />)}
          >
            <Trash2 aria-hidden />
          </IconButton>
        )}
      </div>
    );
  };
  return (
    <ResourceCard
      title="Schedules"
      hint="jobs of this project that run by themselves"
      query={schedules}
      error={update.error}
      create={
        canCreate && (
          <Button look="primary" onClick={() => show((close) => <ScheduleDialog onClose={close} />)}>
            <Plus aria-hidden /> New schedule
          </Button>
        )
      }
      empty={{
        icon: CalendarClock,
        title: 'No schedules yet',
        text: 'Tastes change. Let the service train a model every night on the newest events, and deploy it if it is not worse than the deployed one.',
      }}
      keyOf={({ schedule_id }) => schedule_id}
      className="min-w-176"
      columns={[
        {
          title: 'Schedule',
          className: 'max-w-64',
          cell: ({ name, what }) => (
            <>
              <span className="block truncate font-medium">{name}</span>
              <span className="text-sm text-muted">{describeWork(what)}</span>
            </>
          ),
        },
        {
          title: 'When',
          cell: ({ cron, time_zone }) => (
            <>
              <span className="block">{describeCron(cron)}</span>
              <span className="text-sm text-muted">{time_zone}</span>
            </>
          ),
        },
        timeColumn('Next run', 'next_run_ts', <Badge>paused</Badge>),
        {
          title: 'Last run',
          className: 'whitespace-nowrap',
          cell: (schedule) => <LastRun schedule={schedule} />,
        },
        { title: 'Missed', className: 'max-w-56', cell: describeMissed },
        { title: 'Actions', isHidden: true, cell: actionsOf },
      ]}
    >
      {dialog}
    </ResourceCard>
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

function describeMissed({ missed_runs, last_missed }: Schedule) {
  if (missed_runs === 0 || !last_missed) return <span className="text-muted">none</span>;
  return (
    <>
      <span className="text-warn">{formatNumberOf(missed_runs, 'run')}</span>
      <span className="block text-sm text-muted">
        {formatAgo(last_missed.scheduled_ts)}: {last_missed.message}
      </span>
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
