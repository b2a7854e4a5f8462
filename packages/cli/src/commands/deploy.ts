import { findModel, findProject } from '../find.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, calling, projectOption, wholeNumber } from './command.ts';

interface DeployOptions {
  readonly project?: string;
  readonly model: string;
  readonly ranker?: string;
  readonly qps: number;
  readonly name: string;
  readonly wait: boolean;
}

export const addDeploy: AddCommand = (program, shell) => {
  program
    .command('deploy')
    .summary('make a model serve the recommendations')
    .description('Deploys a model and waits until it serves. What served before serves until then.')
    .option(...projectOption)
    .option('--model <model>', 'the id of the model, or latest', 'latest')
    .option('--ranker <model>', 'the id of a model that re-ranks the results')
    .option('--qps <n>', 'recommendation calls a second that may be made', wholeNumber, 1)
    .option('--name <name>', "the job's name", 'deployed by the command line')
    .option('--no-wait', 'do not wait')
    .action(
      calling<DeployOptions>(
        shell,
        async ({ session, options: { model: given, ranker, qps, name, ...options } }) => {
          const { client, output } = session;
          const project = await findProject(client, options.project);
          const { project_id } = project;
          const { model_id } = await findModel(client, project, given);
          const { job_id } = await client.submitDeploymentJob({
            ...{ project_id, name, generator_model_id: model_id, ranker_model_id: ranker ?? null, qps },
          });
          if (!options.wait) {
            output.result({ project_id, job_id, model_id }, () => job_id);
            return;
          }
          const job = await watchJob(session, { project_id, job_id, job_type: 'DEPLOYMENT' });
          output.result(job, () => `${model_id} serves at ${job.job_result.serving_uri}, ${qps} qps.`);
          if (!output.json) output.say(`Next: \`tastegraph recommend USER --project ${project_id}\`.`);
        },
      ),
    );
  program
    .command('undeploy')
    .summary('take the deployed model down')
    .description('The project recommends nothing until a model is deployed again.')
    .option(...projectOption)
    .action(
      calling<{ project?: string }>(shell, async ({ session: { client, output }, options }) => {
        const { project_id } = await findProject(client, options.project);
        await client.shutdownDeployment({ project_id });
        output.result({ project_id }, () => `${project_id} serves no longer.`);
      }),
    );
};
