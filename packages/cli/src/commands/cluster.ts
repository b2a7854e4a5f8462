import { readTitles } from '../items/read-titles.ts';
import { describeClusters } from '../read-results.ts';
import { type AddCommand, parseCount, passed } from './command.ts';
import { type AnalysisOptions, runAnalysis, withAnalysisOptions } from './query.ts';

interface ClusterOptions extends AnalysisOptions {
  readonly minUsers?: number;
  readonly maxClusters?: number;
}

export const addCluster: AddCommand = (program) => {
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
    .withClient<ClusterOptions>(async ({ options, ...session }) => {
      const { client } = session;
      const { minUsers, maxClusters } = options;
      const parameters = passed({ min_user_num: minUsers, max_clusters: maxClusters });
      await runAnalysis(session, options, {
        job_type: 'CLUSTERING',
        submit: (job) => client.submitClusteringJob({ ...job, cluster_type: 'user', parameters }),
        fileOf: (job_id) => `clusters-${job_id}.ndjson`,
        describe: (path, project) => describeClusters(path, (ids) => readTitles(client, project, ids)),
      });
    });
};
