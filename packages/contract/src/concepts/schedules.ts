import Type, { type Static } from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import {
  Closed,
  Id,
  MapOf,
  Name,
  Named,
  NamedObject,
  Natural,
  Nullable,
  Page,
  PageQuery,
  Ts,
  text,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { Guard } from './deployments.ts';

/** The job types that a schedule can submit. A deployment follows its training. */
const scheduledTypes = ['TRAINING', 'QUERYING', 'CLUSTERING', 'EXPORT', 'RECOMMENDING'] as const;

export type ScheduledType = (typeof scheduledTypes)[number];

const Cron = text(
  100,
  'When to run: a cron expression of five fields (minute, hour, day of the month, month, day of the week), such as `0 3 * * *` for every night at three.',
);

const TimeZone = text(
  100,
  'The time zone of `cron`, as in the IANA database, such as `Europe/Berlin`. Defaults to `UTC`. A time that the change to summer time skips runs at the next one that exists; one that occurs twice runs the first time.',
);

const Work = NamedObject(
  'ScheduledWork',
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
  `What to run. With a \`guard\`, the training leaves out the events of the last ${limits.scheduledHoldoutHours} hours, unless \`request\` has another \`holdout_hours\`.`,
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

const Run = NamedObject('ScheduledRun', {
  scheduled_ts: Ts('The time for which the run was scheduled'),
  ts: Ts('When the job was submitted'),
  job_id: Nullable(Id('job'), { description: 'The ID of the job. Null if it was deleted.' }),
});

const Missed = NamedObject('MissedRun', {
  scheduled_ts: Ts('The time for which the run was scheduled'),
  code: Type.String({
    description:
      'Why there was no run: `PREVIOUS_RUNNING`, `NO_WORKER` (no worker was running at that time), or the code of the error with which the job was refused.',
  }),
  message: Type.String({ description: 'The same in words.' }),
});

const Schedule = NamedObject('Schedule', {
  project_id: Id('project'),
  schedule_id: Id('schedule'),
  ...settings,
  paused: Type.Boolean({ description: 'Whether no further runs are started.' }),
  created_ts: Ts('When the schedule was created'),
  next_run_ts: Nullable(Type.Integer({ minimum: 0 }), {
    description: 'When the next run is due, in milliseconds since the Unix epoch (UTC). Null while paused.',
  }),
  last_run: Nullable(Run, { description: 'The last run. Null if there was none.' }),
  missed_runs: Natural('The number of runs that were missed.'),
  last_missed: Nullable(Missed, { description: 'The last run that was missed. Null if none was.' }),
});

const ScheduleRef = Closed({ project_id: Id('project'), schedule_id: Id('schedule') });

const CreateSchedule = Closed({
  project_id: Id('project'),
  name: settings.name,
  cron: Cron,
  time_zone: Type.Optional(TimeZone),
  what: Work,
  when_running: Type.Optional(WhenRunning),
});

const UpdateSchedule = Closed({
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

const operations = {
  createSchedule: {
    summary: 'Submit a job at certain times',
    description: `Workers submit one job per run, however many workers there are. If no worker was running, the last run that is due is made up for once, and earlier ones count as missed. A run that is missed is in the log and in the metrics of the worker, in \`last_missed\`, and is sent to webhooks. A project has at most ${limits.schedulesPerProject} schedules.`,
    request: CreateSchedule,
    response: Schedule,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getSchedule: {
    summary: 'Get a schedule',
    description: 'With its next run, its last one and the last one that was missed.',
    request: ScheduleRef,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
  listSchedules: {
    summary: "List a project's schedules",
    description: '',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('schedules', Schedule),
    errors: ['NOT_FOUND'],
  },
  updateSchedule: {
    summary: 'Change, pause or resume a schedule',
    description: 'Fields that you leave out stay as they are. A job that is running goes on.',
    request: UpdateSchedule,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
  deleteSchedule: {
    summary: 'Delete a schedule',
    description: 'Returns the deleted schedule. Its jobs stay, and a job that is running goes on.',
    request: ScheduleRef,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

const ref = { project_id: ids.project, schedule_id: ids.schedule };
const nightly = {
  name: 'nightly',
  cron: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  what: {
    job_type: 'TRAINING' as const,
    request: { algorithm_id: ids.algorithm },
    deploy: true,
    guard: { max_loss: 0.01 },
  },
};
const schedule: Static<typeof Schedule> = {
  ...ref,
  ...nightly,
  when_running: 'SKIP',
  paused: false,
  created_ts: morning,
  next_run_ts: morning + 17 * 60 * minute,
  last_run: null,
  missed_runs: 0,
  last_missed: null,
};

export const scheduleOperations = defineOperations('Schedules', operations, {
  createSchedule: { request: { project_id: ids.project, ...nightly }, response: schedule },
  getSchedule: { request: ref, response: schedule },
  listSchedules: { request: { project_id: ids.project }, response: { schedules: [schedule], ...lastPage } },
  updateSchedule: {
    request: { ...ref, paused: true },
    response: { ...schedule, paused: true, next_run_ts: null },
  },
  deleteSchedule: { request: ref, response: schedule },
});
