import { findModel, findProject } from '../find.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, projectOption, withClient } from './command.ts';

interface DeployOptions {
  readonly project?: string;
  readonly model: string;
  readonly ranker?: string;
  readonly qps?: number;
  readonly name: string;
  readonly wait: boolean;
}

export const addDeploy: AddCommand = (program, context) => {
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
    .option('--no-wait', 'do not wait for the job')
    .action(
      withClient<DeployOptions>(
        context,
        async ({ session, options: { model: modelId, ranker, qps, name, ...options } }) => {
          const { client, output } = session;
          const project = await findProject(client, options.project);
          const { project_id } = project;
          const { model_id } = await findModel(client, project, modelId);
          const { job_id } = await client.submitDeploymentJob({
            project_id,
            name,
            generator_model_id: model_id,
            ranker_model_id: ranker ?? null,
            ...(qps === undefined ? {} : { qps }),
          });
          if (!options.wait) {
            output.result({ project_id, job_id, model_id }, () => job_id);
            return;
          }
          const job = await watchJob(session, { project_id, job_id, job_type: 'DEPLOYMENT' });
          const { deployment } = await client.getProject({ project_id });
          const currentQps = deployment === null ? '' : ` (${deployment.qps} qps)`;
          output.result(job, () => `Deployed ${model_id} at ${job.job_result.serving_uri}${currentQps}.`);
          if (!output.json) output.info(`Next: \`tastegraph recommend USER --project ${project_id}\`.`);
        },
      ),
    );
  program
    .command('undeploy')
    .summary('shut down the deployment')
    .description(
      'Shut down the deployment. The project serves no recommendations until you deploy a model again.',
    )
    .option(...projectOption)
    .action(
      withClient<{ project?: string }>(context, async ({ session: { client, output }, options }) => {
        const { project_id } = await findProject(client, options.project);
        await client.shutdownDeployment({ project_id });
        output.result({ project_id }, () => `Shut down the deployment of ${project_id}.`);
      }),
    );
};
