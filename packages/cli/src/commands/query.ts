import type { Request } from '@tastegraph/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { checkPlace, downloadResult } from '../download.ts';
import { findModel, findProject } from '../find.ts';
import { describeDistributions, describeUserList } from '../read-results.ts';
import type { Session } from '../session.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, calling, projectOption, wholeNumber } from './command.ts';

type Querying = Request<'submitQueryingJob'>;
type Queries<T extends Querying['query_type']> = Extract<Querying, { query_type: T }>['queries'];
type Condition = Queries<'user_list'>[number]['conditions'][number];

export interface AnalysisOptions {
  readonly project?: string;
  readonly model: string;
  readonly name: string;
  readonly out?: string;
}

/** What queries and clusterings are told alike. */
export function withAnalysisOptions(command: Command, name: string): Command {
  return command
    .option(...projectOption)
    .option('--model <model>', 'the id of the model that is asked, or latest', 'latest')
    .option('--name <name>', "the job's name", name)
    .option('--out <file>', 'where the result goes (default: named after the job)');
}

export const addQuery: AddCommand = (program, shell) => {
  const query = program
    .command('query')
    .summary('ask a model which users lean to what')
    .description("Asks a model for users by their usage of an item attribute's value: a share from 0 to 1.");
  withAnalysisOptions(query.command('list'), 'list by the command line')
    .description(
      `Lists users whose usage lies within bounds. --where is ATTRIBUTE=VALUE:FROM..TO, as genres=Comedy:0.3..1; several must hold
together. Numbers, true and false are taken as such; quotes make them text: year='"1999"'.`,
    )
    .requiredOption('--where <condition>', 'a condition; may be given several times', readConditions)
    .action(
      calling<AnalysisOptions & { where: Condition[] }>(shell, async ({ session, options }) => {
        const asked = { query_type: 'user_list' as const, queries: [{ conditions: options.where }] };
        await ask(session, options, asked, 'ndjson', describeUserList);
      }),
    );
  withAnalysisOptions(query.command('distribution'), 'distribution by the command line')
    .description(
      'Shows how usage is distributed over the users: a histogram here, charts as SVG beside the result.',
    )
    .argument('<attribute=value...>', 'what is asked for, as genres=Comedy')
    .option('--bins <n>', 'bins of a histogram', wholeNumber, 20)
    .action(
      calling<AnalysisOptions & { bins: number }>(shell, async ({ session, options, args }) => {
        const queries = args.map((text) => ({ ...readValue(text), bins: options.bins }));
        await ask(
          session,
          options,
          { query_type: 'user_distribution', queries },
          'json',
          describeDistributions,
        );
      }),
    );
};

type Asked =
  | { query_type: 'user_list'; queries: Queries<'user_list'> }
  | { query_type: 'user_distribution'; queries: Queries<'user_distribution'> };

async function ask(
  session: Session,
  options: AnalysisOptions,
  asked: Asked,
  extension: string,
  describe: (path: string) => string | Promise<string>,
): Promise<void> {
  const { client } = session;
  checkPlace(options.out);
  const project = await findProject(client, options.project);
  const { project_id } = project;
  const { model_id } = await findModel(client, project, options.model);
  const { job_id } = await client.submitQueryingJob({ project_id, model_id, name: options.name, ...asked });
  const job = await watchJob(session, { project_id, job_id, job_type: 'QUERYING' });
  await deliver(session, job, options.out ?? `query-${job_id}.${extension}`, describe);
}

interface Finished {
  readonly job_id: string;
  readonly job_result: { download_url: string; message: string | null; chart_urls?: string[] };
}

/** Downloads what a job has found, and shows it in short. */
export async function deliver(
  { output, signal }: Session,
  { job_id, job_result }: Finished,
  path: string,
  describe: (path: string) => string | Promise<string>,
): Promise<void> {
  const charts = await downloadResult(job_result, path, signal);
  const text = await describe(path);
  output.result({ job_id, file: path, charts, message: job_result.message }, () => text);
  if (output.json) return;
  if (job_result.message !== null) output.say(job_result.message);
  output.say(`In full: ${[path, ...charts].join(', ')}`);
}

const boundsPattern = /:(\d*\.?\d*)\.\.(\d*\.?\d*)$/;

function readConditions(text: string, before: Condition[] = []): Condition[] {
  const bounds = boundsPattern.exec(text);
  const { attribute, value } = readValue(bounds ? text.slice(0, bounds.index) : text);
  const lower = bounds?.[1] ? { lower_bound: Number(bounds[1]) } : {};
  const upper = bounds?.[2] ? { upper_bound: Number(bounds[2]) } : {};
  return [...before, { attribute, value, ...lower, ...upper }];
}

function readValue(text: string): { attribute: string; value: string | number | boolean } {
  const at = text.indexOf('=');
  if (at <= 0 || at === text.length - 1) throw new InvalidArgumentError(`${text} is not as ATTRIBUTE=VALUE.`);
  return { attribute: text.slice(0, at), value: scalar(text.slice(at + 1)) };
}

function scalar(text: string): string | number | boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
      ? value
      : text;
  } catch {
    return text;
  }
}
