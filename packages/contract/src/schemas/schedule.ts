import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, Id, MapOf, Name, Named, Nullable, Ts } from './fields.ts';
import { Guard } from './guard.ts';

/** The job types that a schedule can submit. A deployment follows its training. */
const scheduledTypes = ['TRAINING', 'QUERYING', 'CLUSTERING', 'EXPORT', 'RECOMMENDING'] as const;

export type ScheduledType = (typeof scheduledTypes)[number];

const Cron = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{1,100}$',
  description:
    'When to run: a cron expression of five fields (minute, hour, day of the month, month, day of the week), such as `0 3 * * *` for every night at three.',
});

const TimeZone = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{1,100}$',
  description:
    'The time zone of `cron`, as in the IANA database, such as `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs at the next one that exists; one that occurs twice runs the first time.',
});

const Work = Named(
  'ScheduledWork',
  Closed(
    {
      job_type: Type.Enum([...scheduledTypes], { description: 'The type of the job.' }),
      request: Type.Optional(
        Named(
          'ScheduledRequest',
          MapOf(Type.Unknown(), {
            description:
              'The fields of the call that submits such a job, such as `/submit-training-job`, without `project_id` and `name`. `algorithm_id` defaults to the newest algorithm of the project, `model_id` to the deployed generator at that time.',
          }),
        ),
      ),
      deploy: Type.Optional(
        Type.Boolean({
          description: 'For `TRAINING`: whether to deploy the model as soon as the training has succeeded.',
        }),
      ),
      guard: Type.Optional(Guard),
    },
    {
      description: `What to run. With a \`guard\`, the training leaves out the events of the last ${limits.scheduledHoldoutHours} hours, unless \`request\` has another \`holdout_hours\`.`,
    },
  ),
);

const WhenRunning = Type.Enum(['SKIP', 'QUEUE'], {
  description:
    'What to do if the job of the run before has not ended. `SKIP` (the default): this run is left out and counts as missed. `QUEUE`: its job is submitted as well.',
});

const settings = {
  name: Name('schedule and of its jobs'),
  cron: Cron,
  time_zone: TimeZone,
  what: Work,
  when_running: WhenRunning,
};

const Run = Named(
  'ScheduledRun',
  Closed({
    scheduled_ts: Ts('The time for which the run was scheduled'),
    ts: Ts('When the job was submitted'),
    job_id: Nullable(Id('job'), { description: 'The ID of the job. Null if it was deleted.' }),
  }),
);

const Missed = Named(
  'MissedRun',
  Closed({
    scheduled_ts: Ts('The time for which the run was scheduled'),
    code: Type.String({
      description:
        'Why there was no run: `PREVIOUS_RUNNING`, `NO_WORKER` (no worker was running at that time), or the code of the error with which the job was refused.',
    }),
    message: Type.String({ description: 'The same in words.' }),
  }),
);

export const Schedule = Named(
  'Schedule',
  Closed({
    project_id: Id('project'),
    schedule_id: Id('schedule'),
    ...settings,
    paused: Type.Boolean({ description: 'Whether no further runs are started.' }),
    created_ts: Ts('When the schedule was created'),
    next_run_ts: Nullable(Type.Integer({ minimum: 0 }), {
      description: 'When the next run is due, in milliseconds since the Unix epoch (UTC). Null while paused.',
    }),
    last_run: Nullable(Run, { description: 'The last run. Null if there was none.' }),
    missed_runs: Type.Integer({ minimum: 0, description: 'The number of runs that were missed.' }),
    last_missed: Nullable(Missed, { description: 'The last run that was missed. Null if none was.' }),
  }),
);

export const ScheduleRef = Closed({ project_id: Id('project'), schedule_id: Id('schedule') });

export const CreateSchedule = Closed({
  project_id: Id('project'),
  name: settings.name,
  cron: Cron,
  time_zone: Type.Optional(TimeZone),
  what: Work,
  when_running: Type.Optional(WhenRunning),
});

export const UpdateSchedule = Closed({
  project_id: Id('project'),
  schedule_id: Id('schedule'),
  name: Type.Optional(settings.name),
  cron: Type.Optional(Cron),
  time_zone: Type.Optional(TimeZone),
  what: Type.Optional(Work),
  when_running: Type.Optional(WhenRunning),
  paused: Type.Optional(
    Type.Boolean({
      description: 'True pauses the schedule. False resumes it: runs during the pause are not made up for.',
    }),
  ),
  run_now: Type.Optional(
    Type.Boolean({
      description:
        'True starts a run within a second or two, beside those of `cron`. Refused while the schedule is paused.',
    }),
  ),
});
