import { Argument, Option } from 'commander';
import { usageError } from '../cli-error.ts';
import { checkOutputPath, downloadFiles } from '../download.ts';
import { datasetKinds, findProject } from '../find.ts';
import { type Kind, kinds } from '../import/fields.ts';
import { pluralize } from '../terminal/format.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseTime, projectOption, withClient } from './command.ts';

const formats = ['ndjson', 'csv', 'parquet'] as const;

interface ExportOptions {
  readonly project?: string;
  readonly format: (typeof formats)[number];
  readonly since?: number;
  readonly name: string;
  readonly out?: string;
}

export const addExport: AddCommand = (program, context) => {
  program
    .command('export')
    .summary('export the records of a project to files')
    .description(
      "Export all users, items or events of a project's dataset, wait for the job and download its files. A large export has several files, which are numbered. `tastegraph import` reads each of them without loss.",
    )
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .option(...projectOption)
    .addOption(new Option('--format <format>', 'format of the files').choices(formats).default('ndjson'))
    .option(
      '--since <time>',
      'export only events at or after this time, such as 2026-01-31T08:00 (UTC), or in milliseconds since 1970',
      parseTime,
    )
    .option('--name <name>', 'name of the job', 'export from the CLI')
    .option('--out <file>', 'write the records to this file (default: named after the job)')
    .action(
      withClient<ExportOptions>(context, async ({ session, options, args }) => {
        const { client, output, signal } = session;
        const [kind] = args as [Kind];
        const { format, since, name, out } = options;
        if (since !== undefined && kind !== 'events')
          throw usageError(`--since does not apply to ${kind}.`, 'Leave out --since.');
        checkOutputPath(out);
        const project = await findProject(client, options.project);
        const { project_id } = project;
        const { idField } = datasetKinds[kind];
        const { job_id } = await client.submitExportJob({
          project_id,
          name,
          [idField]: project[idField],
          format: format.toUpperCase() as 'NDJSON' | 'CSV' | 'PARQUET',
          ...(since !== undefined && { since_ts: since }),
        });
        const { job_result } = await watchJob(session, { project_id, job_id, job_type: 'EXPORT' });
        const { download_url, download_urls = [download_url], record_count = 0 } = job_result;
        const files = await downloadFiles(download_urls, out ?? `${kind}-${job_id}.${format}`, signal);
        output.result({ job_id, files, record_count }, () => files.join('\n'));
        if (!output.json) output.info(`Exported ${pluralize(record_count, 'record')}.`);
      }),
    );
};
