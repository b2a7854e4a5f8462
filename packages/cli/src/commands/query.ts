import type { Request } from '@tastegraph/sdk';
import { InvalidArgumentError, Option } from 'commander';
import { checkOutputPath, downloadFiles, downloadResult, withExtension } from '../download.ts';
import { findModel, findProject, type Project } from '../find.ts';
import { describeDistributions, describeUserList } from '../read-results.ts';
import type { Session } from '../session.ts';
import { watchJob } from '../watch-job.ts';
import {
  type AddCommand,
  parseCount,
  parseJson,
  passed,
  projectOption,
  type ServiceCommand,
} from './command.ts';

type ListRequest = Extract<Request<'submitQueryingJob'>, { query_type: 'user_list' }>;
type Condition = ListRequest['queries'][number]['conditions'][number];

const tableFormats = ['csv', 'parquet'] as const;

export interface AnalysisOptions {
  readonly project?: string;
  readonly model: string;
  readonly name: string;
  readonly out?: string;
  readonly table?: (typeof tableFormats)[number];
}

/** Options of both queries and clusterings. */
export function withAnalysisOptions(command: ServiceCommand, name: string): ServiceCommand {
  return command
    .option(...projectOption)
    .option('--model <model>', 'ID of the model, or "latest"', 'latest')
    .option('--name <name>', 'name of the job', name)
    .option('--out <file>', 'write the result to this file (default: named after the job)')
    .addOption(
      new Option('--table <format>', 'also write the result as a table, next to it').choices(tableFormats),
    );
}

export const addQuery: AddCommand = (program) => {
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
    .withClient<AnalysisOptions & { where: Condition[] }>(async ({ options, ...session }) => {
      const queries = [{ conditions: options.where }];
      await runAnalysis(session, options, {
        job_type: 'QUERYING',
        submit: (job) => session.client.submitQueryingJob({ ...job, query_type: 'user_list', queries }),
        fileOf: (job_id) => `query-${job_id}.ndjson`,
        describe: describeUserList,
      });
    });
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
    .withClient<AnalysisOptions & { bins: number }>(async ({ options, ...session }, ...values) => {
      const queries = values.map((text) => ({ ...parseAttributeValue(text), bins: options.bins }));
      await runAnalysis(session, options, {
        job_type: 'QUERYING',
        submit: (job) =>
          session.client.submitQueryingJob({ ...job, query_type: 'user_distribution', queries }),
        fileOf: (job_id) => `query-${job_id}.json`,
        describe: describeDistributions,
      });
    });
};

/** How queries and clusterings differ. */
interface Analysis {
  readonly job_type: 'QUERYING' | 'CLUSTERING';
  readonly submit: (
    job: Pick<ListRequest, 'project_id' | 'model_id' | 'name' | 'table_format'>,
  ) => Promise<{ job_id: string }>;
  /** The name of the file without --out. */
  readonly fileOf: (jobId: string) => string;
  readonly describe: (path: string, project: Project) => string | Promise<string>;
}

/** Submits the job, waits for it, downloads its result and prints a summary. */
export async function runAnalysis(
  session: Session,
  { project: idOrName, model, name, out, table }: AnalysisOptions,
  { job_type, submit, fileOf, describe }: Analysis,
): Promise<void> {
  const { client, output, signal } = session;
  checkOutputPath(out);
  const project = await findProject(client, idOrName);
  const { project_id } = project;
  const { model_id } = await findModel(client, project, model);
  const table_format = table && (table.toUpperCase() as Uppercase<typeof table>);
  const { job_id } = await submit({ project_id, model_id, name, ...passed({ table_format }) });
  const { job_result } = await watchJob(session, { project_id, job_id, job_type });
  const path = out ?? fileOf(job_id);
  const charts = await downloadResult(job_result, path, signal);
  const { table_url } = job_result;
  const tables = await downloadFiles(
    table_url === undefined ? [] : [table_url],
    withExtension(path, `.${table}`),
    signal,
  );
  const text = await describe(path, project);
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
  const value = parseJson(text);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : text;
}
