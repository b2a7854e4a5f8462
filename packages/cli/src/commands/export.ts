import { type Kind, kinds } from '@tastegraph/files';
import { Argument } from 'commander';
import { usageError } from '../cli-error.ts';
import { exportFiles, type FileOptions, formatOption, jobNameOption, outOption } from '../export-files.ts';
import { datasetKinds, findProject } from '../find.ts';
import { type AddCommand, type Invocation, parseTime, passed, projectOption } from './command.ts';

interface ExportOptions extends FileOptions {
  readonly project?: string;
  readonly since?: number;
}

export const addExport: AddCommand = (program) => {
  program
    .command('export')
    .summary('export the records of a project to files')
    .description(
      "Export all users, items or events of a project's dataset, wait for the job and download its files. A large export has several files, which are numbered. `tastegraph import` reads each of them without loss.",
    )
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .option(...projectOption)
    .addOption(formatOption())
    .option(
      '--since <time>',
      'export only events at or after this time, such as 2026-01-31T08:00 (UTC), or in milliseconds since 1970',
      parseTime,
    )
    .option(...jobNameOption)
    .option(...outOption)
    .withClient(async ({ options, ...session }: Invocation<ExportOptions>, kind: Kind) => {
      const { since } = options;
      if (since !== undefined && kind !== 'events')
        throw usageError(`--since does not apply to ${kind}.`, 'Leave out --since.');
      const project = await findProject(session.client, options.project);
      const { idField } = datasetKinds[kind];
      await exportFiles(session, kind, options, {
        project_id: project.project_id,
        [idField]: project[idField],
        ...passed({ since_ts: since }),
      });
    });
};
