import type { Request, Tastegraph } from '@tastegraph/sdk';
import { InvalidArgumentError, Option } from 'commander';
import { findModel, findProject, type Project } from '../find.ts';
import { metricsTable } from '../metrics-table.ts';
import { Problem } from '../problem.ts';
import type { Session } from '../session.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, calling, projectOption } from './command.ts';

type Parameters = Request<'createAlgorithm'>['algorithm_parameters'];

interface TrainOptions {
  readonly project?: string;
  readonly name: string;
  readonly algorithm?: string;
  readonly parameters?: Parameters;
  readonly watch?: boolean;
  readonly check: boolean;
}

export const addTrain: AddCommand = (program, shell) => {
  program
    .command('train')
    .summary('train a model')
    .description(
      `Checks the data, then submits a training. The project's newest algorithm is used; where there is none, G1 is created with
all parameters left to the service.`,
    )
    .option(...projectOption)
    .option('--name <name>', "the model's name", 'trained by the command line')
    .option('--algorithm <id>', 'the algorithm to train')
    .addOption(
      new Option('--parameters <json>', 'create an algorithm with these parameters and train it')
        .argParser(readParameters)
        .conflicts('algorithm'),
    )
    .option('--no-check', 'do not look at the data first')
    .option('--watch', 'wait for the model, and show how good it is')
    .action(
      calling<TrainOptions>(shell, async ({ session, options }) => {
        const { client, output } = session;
        const project = await findProject(client, options.project);
        const { project_id } = project;
        if (options.check) await checkData(session, project);
        const algorithm_id = await findAlgorithm(client, project, options);
        const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: options.name });
        if (!options.watch) {
          output.result({ project_id, algorithm_id, job_id }, () => job_id);
          if (!output.json) output.say(`Next: \`tastegraph jobs watch ${job_id} --project ${project_id}\`.`);
          return;
        }
        const job = await watchJob(session, { project_id, job_id, job_type: 'TRAINING' });
        const model = await findModel(client, project, job.job_result.model_id);
        output.result(
          { job, model },
          () => `Model ${model.model_id} (${model.name})\n${metricsTable(model)}`,
        );
        if (!output.json)
          output.say(`Next: \`tastegraph deploy --project ${project_id} --model ${model.model_id}\`.`);
      }),
    );
};

/** What a training would fail on is said in seconds instead of at its end. */
async function checkData({ client, output }: Session, { project_id }: Project): Promise<void> {
  const { can_train, findings, estimate } = await client.checkTraining({ project_id });
  const errors = findings.filter(({ severity }) => severity === 'ERROR');
  if (!can_train)
    throw new Problem(
      `The data cannot be trained on: ${errors.map(({ message }) => message).join(' ')}`,
      'Mend that (`tastegraph import …`), or train all the same with --no-check.',
      undefined,
      { code: errors[0]?.code ?? 'CANNOT_TRAIN' },
    );
  if (output.json) return;
  for (const { severity, message } of findings) output.say(`${severity.toLowerCase()}: ${message}`);
  output.say(`The training will take about ${estimate.seconds} s.`);
}

async function findAlgorithm(
  client: Tastegraph,
  { project_id }: Project,
  options: TrainOptions,
): Promise<string> {
  if (options.algorithm !== undefined) return options.algorithm;
  if (options.parameters === undefined) {
    const [newest] = (await client.listAlgorithms({ project_id, page_size: 1 })).algorithms;
    if (newest) return newest.algorithm_id;
  }
  const created = await client.createAlgorithm({
    ...{
      project_id,
      name: options.name,
      algorithm_type: 'G1',
      algorithm_parameters: options.parameters ?? {},
    },
  });
  return created.algorithm_id;
}

function readParameters(text: string): Parameters {
  try {
    return JSON.parse(text) as Parameters;
  } catch {
    throw new InvalidArgumentError('It must be JSON, as \'{"neighbors": 200}\'.');
  }
}
