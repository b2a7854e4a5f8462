import { readFileSync } from 'node:fs';
import { isFileError, usageError } from '../cli-error.ts';
import { checkOutputPath, downloadFiles } from '../download.ts';
import { type FileOptions, formatOption } from '../export-files.ts';
import { findProject } from '../find.ts';
import { pluralize } from '../terminal/format.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, parseList, passed, projectOption } from './command.ts';
import { excludeTypesOption, filterOption } from './recommend.ts';

interface RecommendAllOptions extends FileOptions {
  readonly project?: string;
  readonly scenario?: string;
  readonly users?: string;
  readonly attributes?: string[];
  readonly filter?: string;
  readonly exclude?: string[];
  readonly excludeTypes?: string[];
  readonly limit?: number;
  readonly seen?: boolean;
}

export const addRecommendAll: AddCommand = (program) => {
  program
    .command('recommend-all')
    .summary('recommend items to all users, or to a list of users')
    .description(
      'Recommend items to all users, wait for the job and download its files: NDJSON with one line per user, or CSV or Parquet with one row per item. For many users, there are several files, which are numbered.',
    )
    .option(...projectOption)
    .option('--scenario <name>', 'use the settings of a scenario; the other options override them')
    .addOption(formatOption())
    .option('--users <file>', 'recommend only to the users in this file: up to 10,000 IDs, one per line')
    .option('--attributes <name,…>', 'item attributes to include', parseList)
    .option(...filterOption)
    .option('--exclude <item,…>', 'items not to recommend', parseList)
    .option(...excludeTypesOption, parseList)
    .option('--limit <n>', 'maximum number of items per user, up to 200 (default: 10)', parseCount)
    .option('--seen', 'include items for which a user already has a target event')
    .option('--name <name>', 'name of the job', 'recommendations from the CLI')
    .option('--out <file>', 'write the recommendations to this file (default: named after the job)')
    .withClient<RecommendAllOptions>(async ({ options, ...session }) => {
      const { client, output, signal } = session;
      const { format, users, scenario, attributes, limit, seen, name, out } = options;
      const { filter: filter_query, exclude: exclude_item_ids } = options;
      const { excludeTypes: exclude_event_types } = options;
      checkOutputPath(out);
      const user_ids = users === undefined ? undefined : readUsers(users);
      const { project_id } = await findProject(client, options.project);
      const { job_id } = await client.submitRecommendingJob({
        project_id,
        name,
        format: format.toUpperCase() as 'NDJSON' | 'CSV' | 'PARQUET',
        ...passed({
          scenario,
          limit,
          exclude_seen: seen ? false : undefined,
          user_ids,
          attributes,
          filter_query,
          exclude_item_ids,
          exclude_event_types,
        }),
      });
      const { job_result } = await watchJob(session, { project_id, job_id, job_type: 'RECOMMENDING' });
      const { download_url, download_urls = [download_url], user_count = 0, message } = job_result;
      const files = await downloadFiles(download_urls, out ?? `recommendations-${job_id}.${format}`, signal);
      output.result({ job_id, files, user_count, message }, () => files.join('\n'));
      if (output.json) return;
      if (message !== null) output.info(message);
      output.info(`Recommended items to ${pluralize(user_count, 'user')}.`);
    });
};

/** One ID per line, without trimming: an ID may begin or end with a space. */
function readUsers(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split(/\r?\n/)
      .filter((id) => id !== '');
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw usageError(`Cannot read ${path}: ${error.message}.`, 'Pass the path of a text file to --users.');
  }
}
