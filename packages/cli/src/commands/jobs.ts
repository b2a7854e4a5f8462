import type { Job } from '@tastegraph/sdk';
import { Option } from 'commander';
import { findProject } from '../find.ts';
import { duration } from '../terminal/import-progress.ts';
import { details, table, when } from '../terminal/table.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, calling, projectOption, wholeNumber } from './command.ts';

type JobStatus = Job['job_status'];

interface ListOptions {
  readonly project?: string;
  readonly type?: Job['job_type'];
  readonly status?: JobStatus;
  readonly limit: number;
}

export const addJobs: AddCommand = (program, shell) => {
  const jobs = program
    .command('jobs')
    .summary('list, show, watch and cancel jobs')
    .description("A project's jobs.");
  jobs
    .command('list', { isDefault: true })
    .description('Lists the jobs of a project, newest first.')
    .option(...projectOption)
    .addOption(
      new Option('--type <type>', 'only these').choices(['TRAINING', 'DEPLOYMENT', 'QUERYING', 'CLUSTERING']),
    )
    .addOption(
      new Option('--status <status>', 'only these').choices([
        'PENDING',
        'RUNNING',
        'SUCCEED',
        'FAILED',
        'CANCELED',
      ]),
    )
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .action(
      calling<ListOptions>(shell, async ({ session: { client, output }, options }) => {
        const { project_id } = await findProject(client, options.project);
        const { type: job_type, status: job_status, limit } = options;
        const asked = { project_id, ...(job_type && { job_type }), ...(job_status && { job_status }) };
        const pages = client.listAll('listJobs', { ...asked, page_size: Math.min(limit, 1000) });
        const found: Job[] = [];
        for await (const job of pages) if (found.push(job) >= limit) break;
        output.result({ jobs: found }, () =>
          found.length === 0
            ? 'There are none.'
            : table(['id', 'type', 'name', 'status', 'stage', 'created', 'took'], found.map(summary)),
        );
      }),
    );
  jobs
    .command('show')
    .description('Shows a job: its status, its progress, its result, or why it failed.')
    .argument('<job>', 'its id')
    .option(...projectOption)
    .action(
      calling<{ project?: string }>(shell, async ({ session: { client, output }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const job = await client.getJob({ project_id, job_id: args[0] ?? '' });
        output.result(job, () => details(Object.entries(job).map(readable)));
      }),
    );
  jobs
    .command('watch')
    .description('Waits for a job and shows how it goes.')
    .argument('<job>', 'its id')
    .option(...projectOption)
    .action(
      calling<{ project?: string }>(shell, async ({ session, options, args }) => {
        const { project_id } = await findProject(session.client, options.project);
        const job = await watchJob(session, { project_id, job_id: args[0] ?? '' });
        session.output.result(job, () => `${job.job_id} succeeded: ${JSON.stringify(job.job_result)}`);
      }),
    );
  jobs
    .command('cancel')
    .description('Cancels a job that has not ended.')
    .argument('<job>', 'its id')
    .option(...projectOption)
    .action(
      calling<{ project?: string }>(shell, async ({ session: { client, output }, options, args }) => {
        const { project_id } = await findProject(client, options.project);
        const job = await client.cancelJob({ project_id, job_id: args[0] ?? '' });
        output.result(job, () => `${job.job_id} is ${job.job_status}.`);
      }),
    );
};

function summary(job: Job): unknown[] {
  const { started_ts, finished_ts, progress } = job;
  const took = started_ts !== null && finished_ts !== null ? duration(finished_ts - started_ts) : null;
  const stage =
    job.job_status === 'RUNNING' && progress
      ? `${progress.stage} ${Math.round(progress.fraction * 100)} %`
      : null;
  return [job.job_id, job.job_type, job.name, job.job_status, stage, when(job.created_ts), took];
}

function readable([name, value]: [string, unknown]): unknown[] {
  return [name, name.endsWith('_ts') ? when(value as number | null) : value];
}
