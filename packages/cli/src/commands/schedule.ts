import type { Request, Response } from '@tastegraph/sdk';
import { InvalidArgumentError } from 'commander';
import { collect } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { fieldsTable } from '../terminal/table.ts';
import { type AddCommand, parseJson, passed, projectOption, yesOption } from './command.ts';

type Schedule = Response<'getSchedule'>;
type What = Request<'createSchedule'>['what'];

interface CreateOptions {
  readonly cron: string;
  readonly timeZone: string;
  readonly type: What['job_type'];
  readonly request?: Record<string, unknown>;
  readonly deploy?: boolean;
  readonly guard?: number;
  readonly queue?: boolean;
}

export const addSchedule: AddCommand = (program) => {
  const schedule = program
    .command('schedule')
    .summary('run jobs at certain times')
    .description(
      'Manage schedules: jobs that the service submits at certain times, such as a training every night.',
    );
  schedule
    .command('list', { isDefault: true })
    .description('List the schedules of a project, newest first.')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }) => {
      const found = await collect(client.listAll('listSchedules', { project_id }));
      output.list('schedules', found, {
        none: 'No schedules yet. To create one, see `tastegraph schedule create --help`.',
        heads: ['id', 'name', 'type', 'cron', 'time zone', 'next run', 'missed'],
        row: (one) => [
          one.schedule_id,
          one.name,
          one.what.job_type,
          one.cron,
          one.time_zone,
          nextRun(one),
          one.missed_runs,
        ],
      });
    });
  schedule
    .command('show')
    .description('Show a schedule, with its last run and the last one that was missed.')
    .argument('<schedule>', 'ID of the schedule')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }, schedule_id) => {
      const found = await client.getSchedule({ project_id, schedule_id });
      output.result(found, () => fieldsTable(found));
    });
  schedule
    .command('create')
    .description('Create a schedule. Without --type, it trains a model.')
    .argument('<name>', 'name of the schedule and of its jobs')
    .requiredOption('--cron <expression>', 'when to run, for example "0 3 * * *" for every night at three')
    .option('--time-zone <zone>', 'time zone of the expression, for example Europe/Berlin', 'UTC')
    .option('--type <type>', 'TRAINING, QUERYING, CLUSTERING, EXPORT or RECOMMENDING', 'TRAINING')
    .option('--request <json>', 'fields of the job, as the call that submits it takes them', parseObject)
    .option('--deploy', 'deploy the model once its training has succeeded')
    .option(
      '--guard <max-loss>',
      'with --deploy: refuse a model that is worse by more than this share',
      Number,
    )
    .option('--queue', 'submit a job even if that of the run before has not ended (default: skip the run)')
    .option(...projectOption)
    .withProject<CreateOptions>(async ({ client, output, options, project_id }, name) => {
      const { cron, timeZone: time_zone, type: job_type, request, deploy, guard, queue } = options;
      const created = await client.createSchedule({
        project_id,
        name,
        cron,
        time_zone,
        what: {
          job_type,
          ...passed({ request, deploy, guard: guard === undefined ? undefined : { max_loss: guard } }),
        },
        ...(queue && { when_running: 'QUEUE' }),
      });
      output.result(created, () => `Created ${created.schedule_id}. The next run: ${nextRun(created)}.`);
    });
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const)
    schedule
      .command(name)
      .description(paused ? 'Start no further runs.' : 'Start runs again, from the next time on.')
      .argument('<schedule>', 'ID of the schedule')
      .option(...projectOption)
      .withProject(async ({ client, output, project_id }, schedule_id) => {
        const updated = await client.updateSchedule({ project_id, schedule_id, paused });
        output.result(updated, () => `${updated.schedule_id}: the next run is ${nextRun(updated)}.`);
      });
  schedule
    .command('delete')
    .description('Delete a schedule. Its jobs stay.')
    .argument('<schedule>', 'ID of the schedule')
    .option(...projectOption)
    .option(...yesOption)
    .withProject(async ({ client, output, confirm, project_id }, schedule_id) => {
      await confirm(`Delete schedule ${schedule_id}?`);
      await client.deleteSchedule({ project_id, schedule_id });
      output.result({ deleted: schedule_id }, () => `Deleted schedule ${schedule_id}.`);
    });
};

const nextRun = ({ next_run_ts }: Schedule) =>
  next_run_ts === null ? 'paused' : formatTimestamp(next_run_ts);

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('Expected a JSON object.');
  return value as Record<string, unknown>;
}
