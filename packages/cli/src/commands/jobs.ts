import { type Job, jobTypes, type Listed } from '@tastegraph/sdk';
import { Option } from 'commander';
import { describeJob, describeStage, durationOf } from '../describe-job.ts';
import { findJobId } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { table } from '../terminal/table.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, projectOption, withProject, yesOption } from './command.ts';

type JobStatus = Job['job_status'];

interface ListOptions {
  readonly type?: Job['job_type'];
  readonly status?: JobStatus;
  readonly limit: number;
}

export const addJobs: AddCommand = (program, context) => {
  const jobs = program
    .command('jobs')
    .summary('list, show, watch, cancel and delete jobs')
    .description('Manage the jobs of a project.');
  jobs
    .command('list', { isDefault: true })
    .description('List the jobs of a project, newest first.')
    .option(...projectOption)
    .addOption(new Option('--type <type>', 'list only jobs of this type').choices(jobTypes))
    .addOption(
      new Option('--status <status>', 'list only jobs with this status').choices([
        'PENDING',
        'RUNNING',
        'SUCCEED',
        'FAILED',
        'CANCELED',
      ]),
    )
    .option('--limit <n>', 'maximum number of jobs', parseCount, 20)
    .action(
      withProject<ListOptions>(context, async ({ client, output, options, project_id }) => {
        const { type: job_type, status: job_status, limit } = options;
        const asked = { project_id, ...(job_type && { job_type }), ...(job_status && { job_status }) };
        const pages = client.listAll('listJobs', { ...asked, page_size: Math.min(limit, 1000) });
        const found: Listed<'listJobs'>[] = [];
        for await (const job of pages) if (found.push(job) >= limit) break;
        output.result({ jobs: found }, () =>
          found.length === 0
            ? 'No jobs.'
            : table(['name', 'type', 'status', 'stage', 'created', 'took', 'id'], found.map(summaryRow)),
        );
      }),
    );
  jobs
    .command('show')
    .description('Show the status, progress and result of a job, or why it failed.')
    .argument('[job]', 'ID of the job, or "latest"', 'latest')
    .option(...projectOption)
    .action(
      withProject(context, async ({ client, output, args, project }) => {
        const job_id = await findJobId(client, project, args[0] ?? 'latest');
        const job = await client.getJob({ project_id: project.project_id, job_id });
        output.result(job, () => describeJob(job, project.name));
      }),
    );
  jobs
    .command('watch')
    .description('Wait for a job and show its progress.')
    .argument('[job]', 'ID of the job, or "latest"', 'latest')
    .option(...projectOption)
    .action(
      withProject(context, async ({ args, project, ...session }) => {
        const job_id = await findJobId(session.client, project, args[0] ?? 'latest');
        const job = await watchJob(session, { project_id: project.project_id, job_id });
        session.output.result(job, () => describeJob(job, project.name));
      }),
    );
  jobs
    .command('cancel')
    .description('Cancel a job that has not finished.')
    .argument('<job>', 'ID of the job')
    .option(...projectOption)
    .action(
      withProject(context, async ({ client, output, args, project_id }) => {
        const job = await client.cancelJob({ project_id, job_id: args[0] ?? '' });
        output.result(job, () => `Job ${job.job_id} is ${job.job_status}.`);
      }),
    );
  jobs
    .command('delete')
    .description('Delete a finished job and its result. A model that it trained is kept.')
    .argument('<job>', 'ID of the job')
    .option(...projectOption)
    .option(...yesOption)
    .action(
      withProject(context, async ({ client, output, args, confirm, project_id }) => {
        const job_id = args[0] ?? '';
        await confirm(`Delete job ${job_id} and its result?`);
        const job = await client.deleteJob({ project_id, job_id });
        output.result(job, () => `Deleted ${job_id}.`);
      }),
    );
};

function summaryRow(job: Listed<'listJobs'>): unknown[] {
  const { job_id, name, job_type, job_status, progress, created_ts } = job;
  const stage =
    job_status === 'RUNNING' && progress
      ? `${describeStage(progress.stage)} ${Math.round(progress.fraction * 100)} %`
      : null;
  return [name, job_type, job_status, stage, formatTimestamp(created_ts), durationOf(job), job_id];
}
