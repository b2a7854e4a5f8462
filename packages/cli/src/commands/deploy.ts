import type { Request, SucceededJob } from '@tastegraph/sdk';
import { InvalidArgumentError } from 'commander';
import { usageError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { findModel, findProject } from '../find.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, passed, projectArgument, projectOption } from './command.ts';

interface DeployOptions {
  readonly project?: string;
  readonly model: string;
  readonly ranker?: string;
  readonly qps?: number;
  readonly name: string;
  readonly guard?: number | true;
  readonly refuseUndecided?: boolean;
  readonly wait: boolean;
}

export const addDeploy: AddCommand = (program) => {
  program
    .command('deploy')
    .summary('deploy a model')
    .description(
      'Deploy a model and wait until it serves recommendations. Until then, the previous deployment stays in service.',
    )
    .option(...projectOption)
    .option('--model <model>', 'ID of the model, or "latest"', 'latest')
    .option('--ranker <model>', 'ID of a model that re-ranks the results')
    .option('--qps <n>', 'recommendation requests per second (default: the current value, or 1)', parseCount)
    .option('--name <name>', 'name of the job', 'deployed from the CLI')
    .option(
      '--guard [max-loss]',
      `refuse the model if it predicts the newest events worse than what is deployed, by more than this share (default: ${defaultMaxLoss})`,
      parseShare,
    )
    .option('--refuse-undecided', 'with --guard: also refuse the model if there are too few newer events')
    .option('--no-wait', 'do not wait for the job')
    .withClient<DeployOptions>(async ({ options, ...session }) => {
      const { ranker, qps, name } = options;
      if (options.refuseUndecided && options.guard === undefined)
        throw usageError('--refuse-undecided has no effect without --guard.', 'Add --guard.');
      const { client, output } = session;
      const project = await findProject(client, options.project);
      const { project_id } = project;
      const { model_id } = await findModel(client, project, options.model);
      const { job_id } = await client.submitDeploymentJob({
        project_id,
        name,
        generator_model_id: model_id,
        ranker_model_id: ranker ?? null,
        ...passed({ qps, guard: guardOf(options) }),
      });
      if (!options.wait) {
        output.result({ project_id, job_id, model_id }, () => job_id);
        return;
      }
      const job = await watchJob(session, { project_id, job_id, job_type: 'DEPLOYMENT' });
      const { guard } = job.job_result;
      if (job.job_result.deployed === false && guard) {
        output.result(job, () => `Not deployed: ${describeGuard(guard)}`);
        return exitCodes.failed;
      }
      const { deployment } = await client.getProject({ project_id });
      const currentQps = deployment === null ? '' : ` (${deployment.qps} qps)`;
      const compared = guard ? ` ${describeGuard(guard)}` : '';
      output.result(
        job,
        () => `Deployed ${model_id} at ${job.job_result.serving_uri}${currentQps}.${compared}`,
      );
      if (!output.json)
        output.info(`Next: \`tastegraph recommend USER${projectArgument(options.project)}\`.`);
      return undefined;
    });
  program
    .command('undeploy')
    .summary('shut down the deployment')
    .description(
      'Shut down the deployment. The project serves no recommendations until you deploy a model again.',
    )
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }) => {
      await client.shutdownDeployment({ project_id });
      output.result({ project_id }, () => `Shut down the deployment of ${project_id}.`);
    });
  program
    .command('rollback')
    .summary('return to the models that were deployed before')
    .description(
      'Return to the models that were deployed before the current ones. Takes effect with the next call. A second rollback returns to the models before those.',
    )
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }) => {
      const project = await client.rollbackDeployment({ project_id });
      output.result(
        project,
        () => `Rolled back project ${project_id} to ${project.deployment?.generator_model_id ?? 'nothing'}.`,
      );
    });
};

/** One percent is less than most models change from one day to the next. */
const defaultMaxLoss = 0.01;

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 1))
    throw new InvalidArgumentError('Expected a number from 0 to 1, such as 0.01 for 1 %.');
  return share;
}

function guardOf({ guard, refuseUndecided }: DeployOptions): Request<'submitDeploymentJob'>['guard'] {
  if (guard === undefined) return undefined;
  const max_loss = guard === true ? defaultMaxLoss : guard;
  return { max_loss, ...(refuseUndecided && { when_undecided: 'REFUSE' }) };
}

type GuardReport = NonNullable<SucceededJob<'DEPLOYMENT'>['job_result']['guard']>;

function describeGuard({ verdict, users, loss }: GuardReport): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  if (verdict === 'NOTHING_DEPLOYED') return 'Nothing was deployed to compare with.';
  if (!loss) return `Too few newer events to compare (${users} users).`;
  const interval = `${percent(loss.low)} to ${percent(loss.high)}`;
  return loss.value > 0
    ? `The model lost ${percent(loss.value)} of NDCG@20 (${interval}) on the newest events of ${users} users.`
    : `The model gained ${percent(-loss.value)} of NDCG@20 (${percent(-loss.high)} to ${percent(-loss.low)}) on the newest events of ${users} users.`;
}
