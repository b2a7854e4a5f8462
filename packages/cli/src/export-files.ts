import type { Request } from '@tastegraph/sdk';
import { Option } from 'commander';
import { checkOutputPath, downloadFiles } from './download.ts';
import type { Session } from './session.ts';
import { pluralize } from './terminal/format.ts';
import { watchJob } from './watch-job.ts';

const formats = ['ndjson', 'csv', 'parquet'] as const;

export interface FileOptions {
  readonly format: (typeof formats)[number];
  readonly name: string;
  readonly out?: string;
}

export const formatOption = () =>
  new Option('--format <format>', 'format of the files').choices(formats).default('ndjson');
export const jobNameOption = ['--name <name>', 'name of the job', 'export from the CLI'] as const;
export const outOption = [
  '--out <file>',
  'write the records to this file (default: named after the job)',
] as const;

/** Submits an export, waits for it and downloads its files. `subject` is what the files are named after. */
export async function exportFiles(
  session: Session,
  subject: string,
  { format, name, out }: FileOptions,
  what: Omit<Request<'submitExportJob'>, 'name' | 'format'>,
): Promise<void> {
  const { client, output, signal } = session;
  checkOutputPath(out);
  const { job_id } = await client.submitExportJob({
    ...what,
    name,
    format: format.toUpperCase() as Uppercase<typeof format>,
  });
  const { job_result } = await watchJob(session, {
    project_id: what.project_id,
    job_id,
    job_type: 'EXPORT',
  });
  const { download_url, download_urls = [download_url], record_count = 0 } = job_result;
  const files = await downloadFiles(download_urls, out ?? `${subject}-${job_id}.${format}`, signal);
  output.result({ job_id, files, record_count }, () => files.join('\n'));
  if (!output.json) output.info(`Exported ${pluralize(record_count, 'record')}.`);
}
