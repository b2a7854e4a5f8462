import { checkOutputPath } from '../download.ts';
import { findModel, findProject } from '../find.ts';
import { readTitles } from '../items/read-titles.ts';
import { describeClusters } from '../read-results.ts';
import { watchJob } from '../watch-job.ts';
import { type AddCommand, parseCount, passed, withClient } from './command.ts';
import { type AnalysisOptions, downloadAndSummarize, tableField, withAnalysisOptions } from './query.ts';

interface ClusterOptions extends AnalysisOptions {
  readonly minUsers?: number;
  readonly maxClusters?: number;
}

export const addCluster: AddCommand = (program, context) => {
  withAnalysisOptions(program.command('cluster'), 'clusters from the CLI')
    .summary('cluster users by taste')
    .description(
      'Cluster users by taste and show what distinguishes each cluster. The result file also lists the cluster of each user.',
    )
    .option(
      '--min-users <n>',
      'minimum number of users per cluster; smaller clusters are dropped (default: 1)',
      parseCount,
    )
    .option('--max-clusters <n>', 'maximum number of clusters, up to 50 (default: 20)', parseCount)
    .action(
      withClient<ClusterOptions>(context, async ({ options, ...session }) => {
        const { client } = session;
        checkOutputPath(options.out);
        const project = await findProject(client, options.project);
        const { project_id } = project;
        const { model_id } = await findModel(client, project, options.model);
        const { minUsers, maxClusters, name } = options;
        const parameters = passed({ min_user_num: minUsers, max_clusters: maxClusters });
        const { job_id } = await client.submitClusteringJob({
          project_id,
          model_id,
          name,
          cluster_type: 'user',
          parameters,
          ...tableField(options),
        });
        const job = await watchJob(session, { project_id, job_id, job_type: 'CLUSTERING' });
        await downloadAndSummarize(
          session,
          job,
          options.out ?? `clusters-${job_id}.ndjson`,
          options,
          (path) => describeClusters(path, (ids) => readTitles(client, project, ids)),
        );
      }),
    );
};
