import { checkPlace } from '../download.ts';
import { findModel, findProject } from '../find.ts';
import { describeClusters } from '../read-results.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, calling, wholeNumber } from './command.ts';
import { type AnalysisOptions, deliver, withAnalysisOptions } from './query.ts';

interface ClusterOptions extends AnalysisOptions {
  readonly minUsers?: number;
  readonly maxClusters?: number;
}

export const addCluster: AddCommand = (program, shell) => {
  withAnalysisOptions(program.command('cluster'), 'clustered by the command line')
    .summary('ask a model which groups of users there are')
    .description(
      'Groups the users by their taste, and shows what sets each group apart. The result also says which user is in which.',
    )
    .option('--min-users <n>', 'groups with fewer users are left out', wholeNumber)
    .option('--max-clusters <n>', 'at most so many groups', wholeNumber)
    .action(
      calling<ClusterOptions>(shell, async ({ session, options }) => {
        const { client } = session;
        checkPlace(options.out);
        const project = await findProject(client, options.project);
        const { project_id } = project;
        const { model_id } = await findModel(client, project, options.model);
        const { minUsers, maxClusters, name } = options;
        const parameters = {
          ...(minUsers !== undefined && { min_user_num: minUsers }),
          ...(maxClusters !== undefined && { max_clusters: maxClusters }),
        };
        const { job_id } = await client.submitClusteringJob({
          ...{ project_id, model_id, name, cluster_type: 'user', parameters },
        });
        const job = await watchJob(session, { project_id, job_id, job_type: 'CLUSTERING' });
        await deliver(session, job, options.out ?? `clusters-${job_id}.ndjson`, describeClusters);
      }),
    );
};
