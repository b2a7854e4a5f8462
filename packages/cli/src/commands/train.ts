import type { Request, Tastegraph } from '@tastegraph/sdk';
import { InvalidArgumentError, Option } from 'commander';
import { CliError, usageError } from '../cli-error.ts';
import { findModel, findProject, type Project } from '../find.ts';
import { metricsTable } from '../metrics-table.ts';
import type { Session } from '../session.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, passed, projectArgument, projectOption } from './command.ts';

type Parameters = Request<'createAlgorithm'>['algorithm_parameters'];

/** IDs of algorithms have this prefix; types do not. */
const isId = (text: string) => text.startsWith('alg_');
const defaultType = 'G1';

interface TrainOptions {
  readonly project?: string;
  readonly name: string;
  readonly algorithm?: string;
  readonly parameters?: Parameters;
  readonly holdoutHours?: number;
  readonly watch?: boolean;
  readonly check: boolean;
}

export const addTrain: AddCommand = (program) => {
  program
    .command('train')
    .summary('train a model')
    .description(
      [
        'Check the data, then submit a training job. --algorithm selects an algorithm by ID, or the newest one of a type.',
        'Without it, the job uses the newest algorithm of the project.',
        `If the project has no such algorithm, the command creates one (type ${defaultType} unless you pass another) whose parameters training chooses.`,
      ].join(' '),
    )
    .option(...projectOption)
    .option('--name <name>', 'name of the job and of the model', 'trained from the CLI')
    .option('--algorithm <type or id>', 'type or ID of the algorithm to use')
    .addOption(
      new Option('--parameters <json>', 'create an algorithm with these parameters and use it').argParser(
        parseParameters,
      ),
    )
    .option(
      '--holdout-hours <n>',
      'do not train on events of the last hours, so that `deploy --guard` can compare models on them',
      parseCount,
    )
    .option('--no-check', 'skip the data check')
    .option('--watch', 'wait for the model and show its metrics')
    .withClient<TrainOptions>(async ({ options, ...session }) => {
      rejectConflict(options);
      const { client, output } = session;
      const project = await findProject(client, options.project);
      const { project_id } = project;
      const algorithm_id = await findAlgorithm(client, project, options);
      if (options.check) await checkData(session, project, algorithm_id);
      const { name, holdoutHours: holdout_hours } = options;
      const { job_id } = await client.submitTrainingJob({
        project_id,
        algorithm_id,
        name,
        ...passed({ holdout_hours }),
      });
      if (!options.watch) {
        output.result({ project_id, algorithm_id, job_id }, () => job_id);
        if (!output.json)
          output.info(`Next: \`tastegraph jobs watch ${job_id}${projectArgument(options.project)}\`.`);
        return;
      }
      const job = await watchJob(session, { project_id, job_id, job_type: 'TRAINING' });
      const model = await findModel(client, project, job.job_result.model_id);
      output.result({ job, model }, () => `Model ${model.model_id} (${model.name})\n${metricsTable(model)}`);
      if (!output.json)
        output.info(
          `Next: \`tastegraph deploy --model ${model.model_id}${projectArgument(options.project)}\`.`,
        );
    });
};

/** An existing algorithm already has parameters, so the two options conflict. */
function rejectConflict({ algorithm, parameters }: TrainOptions): void {
  if (algorithm !== undefined && isId(algorithm) && parameters !== undefined)
    throw usageError(
      `--parameters cannot be combined with the ID of an algorithm: ${algorithm} already has parameters.`,
      'Leave out --parameters to train that algorithm, or pass a type to --algorithm to create one.',
    );
}

/** Finds problems within seconds that would otherwise make the training job fail later. */
async function checkData(
  { client, output }: Session,
  { project_id }: Project,
  algorithm_id: string,
): Promise<void> {
  const { can_train, findings, estimate } = await client.checkTraining({ project_id, algorithm_id });
  const errors = findings.filter(({ severity }) => severity === 'ERROR');
  if (!can_train)
    throw new CliError(
      `Cannot train on this data: ${errors.map(({ message }) => message).join(' ')}`,
      'Import the missing data (`tastegraph import …`), or pass --no-check to train anyway.',
      undefined,
      { code: errors[0]?.code ?? 'CANNOT_TRAIN' },
    );
  if (output.json) return;
  for (const { severity, message } of findings) output.info(`${severity.toLowerCase()}: ${message}`);
  output.info(`Training will take about ${estimate.seconds} s.`);
}

async function findAlgorithm(
  client: Tastegraph,
  { project_id }: Project,
  options: TrainOptions,
): Promise<string> {
  const { algorithm, parameters } = options;
  if (algorithm !== undefined && isId(algorithm)) return algorithm;
  if (parameters === undefined) {
    for await (const one of client.listAll('listAlgorithms', { project_id }))
      if (algorithm === undefined || one.algorithm_type === algorithm) return one.algorithm_id;
  }
  const created = await client.createAlgorithm({
    project_id,
    name: options.name,
    // Not checked here: the server rejects an unknown type and lists the valid ones.
    algorithm_type: (algorithm ?? defaultType) as Request<'createAlgorithm'>['algorithm_type'],
    algorithm_parameters: parameters ?? {},
  });
  return created.algorithm_id;
}

function parseParameters(text: string): Parameters {
  try {
    return JSON.parse(text) as Parameters;
  } catch {
    throw new InvalidArgumentError('Expected JSON, for example \'{"neighbors": 200}\'.');
  }
}
