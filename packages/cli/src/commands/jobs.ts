import { type Job, jobTypes, type Listed } from '@tastegraph/sdk';
import { Option } from 'commander';
import { describeJob, describeStage, durationOf } from '../describe-job.ts';
import { findJobId } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, passed, projectOption, yesOption } from './command.ts';

type JobStatus = Job['job_status'];

interface ListOptions {
  readonly type?: Job['job_type'];
  readonly status?: JobStatus;
  readonly limit: number;
}

export const addJobs: AddCommand = (program) => {
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
    .withProject<ListOptions>(async ({ client, output, options, project_id }) => {
      const { type, status, limit } = options;
      const asked = passed({ job_type: type, job_status: status });
      const pages = client.listAll('listJobs', { project_id, ...asked, page_size: Math.min(limit, 1000) });
      const found: Listed<'listJobs'>[] = [];
      for await (const job of pages) if (found.push(job) >= limit) break;
      output.list('jobs', found, {
        none: 'No jobs.',
        heads: ['name', 'type', 'status', 'stage', 'created', 'took', 'id'],
        row: summaryRow,
      });
    });
  jobs
    .command('show')
    .description('Show the status, progress and result of a job, or why it failed.')
    .argument('[job]', 'ID of the job, or "latest"', 'latest')
    .option(...projectOption)
    .withProject(async ({ client, output, project, project_id }, idOrLatest) => {
      const job_id = await findJobId(client, project, idOrLatest);
      const job = await client.getJob({ project_id, job_id });
      output.result(job, () => describeJob(job, project.name));
    });
  jobs
    .command('watch')
    .description('Wait for a job and show its progress.')
    .argument('[job]', 'ID of the job, or "latest"', 'latest')
    .option(...projectOption)
    .withProject(async ({ project, project_id, ...session }, idOrLatest) => {
      const job_id = await findJobId(session.client, project, idOrLatest);
      const job = await watchJob(session, { project_id, job_id });
      session.output.result(job, () => describeJob(job, project.name));
    });
  jobs
    .command('cancel')
    .description('Cancel a job that has not finished.')
    .argument('<job>', 'ID of the job')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }, job_id) => {
      const job = await client.cancelJob({ project_id, job_id });
      output.result(job, () => `Job ${job.job_id} is ${job.job_status}.`);
    });
  jobs
    .command('delete')
    .description('Delete a finished job and its result. A model that it trained is kept.')
    .argument('<job>', 'ID of the job')
    .option(...projectOption)
    .option(...yesOption)
    .withProject(async ({ client, output, confirm, project_id }, job_id) => {
      await confirm(`Delete job ${job_id} and its result?`);
      const job = await client.deleteJob({ project_id, job_id });
      output.result(job, () => `Deleted ${job_id}.`);
    });
};

function summaryRow(job: Listed<'listJobs'>): unknown[] {
  const { job_id, name, job_type, job_status, progress, created_ts } = job;
  const stage =
    job_status === 'RUNNING' && progress
      ? `${describeStage(progress.stage)} ${Math.round(progress.fraction * 100)} %`
      : null;
  return [name, job_type, job_status, stage, formatTimestamp(created_ts), durationOf(job), job_id];
}
