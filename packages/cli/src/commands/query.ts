import type { Request } from '@tastegraph/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkOutputPath, downloadFiles, downloadResult, withExtension } from '../download.ts';
import { findModel, findProject } from '../find.ts';
import { describeDistributions, describeUserList } from '../read-results.ts';
import type { Session } from '../session.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, projectOption, withClient } from './command.ts';

type QueryingRequest = Request<'submitQueryingJob'>;
type Queries<T extends QueryingRequest['query_type']> = Extract<
  QueryingRequest,
  { query_type: T }
>['queries'];
type Condition = Queries<'user_list'>[number]['conditions'][number];

const tableFormats = ['csv', 'parquet'] as const;

export interface AnalysisOptions {
  readonly project?: string;
  readonly model: string;
  readonly name: string;
  readonly out?: string;
  readonly table?: (typeof tableFormats)[number];
}

/** Options of both queries and clusterings. */
export function withAnalysisOptions(command: Command, name: string): Command {
  return command
    .option(...projectOption)
    .option('--model <model>', 'ID of the model, or "latest"', 'latest')
    .option('--name <name>', 'name of the job', name)
    .option('--out <file>', 'write the result to this file (default: named after the job)')
    .addOption(
      new Option('--table <format>', 'also write the result as a table, next to it').choices(tableFormats),
    );
}

/** The field of a submission for `--table`. */
export const tableField = ({ table }: AnalysisOptions) =>
  table && { table_format: table.toUpperCase() as Uppercase<typeof table> };

export const addQuery: AddCommand = (program, context) => {
  const query = program
    .command('query')
    .summary('query users by their affinity for attribute values')
    .description(
      "Query users by their affinity for a value of an item attribute: from 0 to 1, the share of the user's target events whose items have the value. The fewer events a user has, the more it follows the model's prediction.",
    );
  withAnalysisOptions(query.command('list'), 'user list from the CLI')
    .summary('list users whose affinity is within bounds')
    .description(
      [
        'List users whose affinity for attribute values is within bounds.',
        'A condition is ATTRIBUTE=VALUE:FROM..TO, for example genres=Comedy:0.3..1. You can leave out FROM (0), TO (1) or both.',
        `Numbers, true and false are read as numbers and booleans; to query them as text, add quotes: year='"1999"'.`,
      ].join(' '),
    )
    .requiredOption(
      '--where <condition>',
      'condition; repeat the option to list users who meet all conditions',
      parseConditions,
    )
    .action(
      withClient<AnalysisOptions & { where: Condition[] }>(context, async ({ options, ...session }) => {
        const query = { query_type: 'user_list' as const, queries: [{ conditions: options.where }] };
        await runQuery(session, options, query, 'ndjson', describeUserList);
      }),
    );
  withAnalysisOptions(query.command('distribution'), 'distribution from the CLI')
    .summary('show how affinity is distributed over the users')
    .description(
      'Show how affinity for an attribute value is distributed over the users. The command prints a histogram per value and saves an SVG chart of each next to the result.',
    )
    .argument(
      '<value...>',
      'one or more attribute values as ATTRIBUTE=VALUE, for example genres=Comedy; each gets its own histogram',
    )
    .option('--bins <n>', 'number of bins per histogram', parseCount, 20)
    .action(
      withClient<AnalysisOptions & { bins: number }>(context, async ({ options, args, ...session }) => {
        const queries = args.map((text) => ({ ...parseAttributeValue(text), bins: options.bins }));
        await runQuery(
          session,
          options,
          { query_type: 'user_distribution', queries },
          'json',
          describeDistributions,
        );
      }),
    );
};

type Query =
  | { query_type: 'user_list'; queries: Queries<'user_list'> }
  | { query_type: 'user_distribution'; queries: Queries<'user_distribution'> };

async function runQuery(
  session: Session,
  options: AnalysisOptions,
  query: Query,
  extension: string,
  describe: (path: string) => string | Promise<string>,
): Promise<void> {
  const { client } = session;
  checkOutputPath(options.out);
  const project = await findProject(client, options.project);
  const { project_id } = project;
  const { model_id } = await findModel(client, project, options.model);
  const { job_id } = await client.submitQueryingJob({
    project_id,
    model_id,
    name: options.name,
    ...query,
    ...tableField(options),
  });
  const job = await watchJob(session, { project_id, job_id, job_type: 'QUERYING' });
  const path = options.out ?? `query-${job_id}.${extension}`;
  await downloadAndSummarize(session, job, path, options, describe);
}

interface FinishedJob {
  readonly job_id: string;
  readonly job_result: {
    download_url: string;
    message: string | null;
    chart_urls?: string[];
    table_url?: string;
  };
}

/** Downloads the result of a job and prints a summary. */
export async function downloadAndSummarize(
  { output, signal }: Session,
  { job_id, job_result }: FinishedJob,
  path: string,
  { table }: AnalysisOptions,
  describe: (path: string) => string | Promise<string>,
): Promise<void> {
  const charts = await downloadResult(job_result, path, signal);
  const { table_url } = job_result;
  const tables = await downloadFiles(
    table_url === undefined ? [] : [table_url],
    withExtension(path, `.${table}`),
    signal,
  );
  const text = await describe(path);
  const [tableFile] = tables;
  const files = { file: path, charts, ...(tableFile !== undefined && { table: tableFile }) };
  output.result({ job_id, ...files, message: job_result.message }, () => text);
  if (output.json) return;
  if (job_result.message !== null) output.info(job_result.message);
  output.info(`Full result: ${[path, ...tables, ...charts].join(', ')}`);
}

const boundsPattern = /:(\d*\.?\d*)\.\.(\d*\.?\d*)$/;

function parseConditions(text: string, before: Condition[] = []): Condition[] {
  const bounds = boundsPattern.exec(text);
  const { attribute, value } = parseAttributeValue(bounds ? text.slice(0, bounds.index) : text);
  const lower = bounds?.[1] ? { lower_bound: Number(bounds[1]) } : {};
  const upper = bounds?.[2] ? { upper_bound: Number(bounds[2]) } : {};
  return [...before, { attribute, value, ...lower, ...upper }];
}

function parseAttributeValue(text: string): { attribute: string; value: string | number | boolean } {
  const at = text.indexOf('=');
  if (at <= 0 || at === text.length - 1)
    throw new InvalidArgumentError(`Expected ATTRIBUTE=VALUE, not ${text}.`);
  return { attribute: text.slice(0, at), value: parseScalar(text.slice(at + 1)) };
}

function parseScalar(text: string): string | number | boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
      ? value
      : text;
  } catch {
    return text;
  }
}
