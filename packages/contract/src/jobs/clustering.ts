import Type from 'typebox';
import { ids } from '../examples/bookshop.ts';
import { limits } from '../limits.ts';
import { Closed, Id, Name, Named } from '../schemas/fields.ts';
import { FilesResult } from './files-result.ts';
import { defineJobType } from './job-type.ts';
import { TableFormat } from './table-format.ts';

const ClusterType = Named('ClusterType', Type.Enum(['user'], { description: 'What to cluster.' }));

const ClusterParameters = Named(
  'ClusteringParameters',
  Closed(
    {
      min_user_num: Type.Optional(
        Type.Integer({
          minimum: 0,
          default: 1,
          description:
            'The minimum number of users in a cluster. Smaller clusters are dropped, and their users are not assigned to a cluster. 0 and 1 both mean no minimum.',
        }),
      ),
      max_clusters: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: limits.clustersMax,
          default: limits.clustersDefault,
          description: 'The maximum number of clusters.',
        }),
      ),
    },
    { description: 'The parameters of the clustering. All of them are optional.' },
  ),
);

export const clustering = defineJobType({
  data: Named(
    'ClusteringJobData',
    Closed({
      model_id: Id('model'),
      cluster_type: ClusterType,
      parameters: ClusterParameters,
      table_format: TableFormat,
    }),
  ),
  result: FilesResult,
  submit: {
    summary: 'Cluster users by taste',
    description: [
      'Clusters users by their taste at the time the model was trained. The job chooses the largest number of clusters for which clustering two random halves of the users gives similar clusters. Clusters smaller than `min_user_num` are dropped, and their users are not assigned to a cluster.',
      'The result is NDJSON: one summary line, `{"clusters":2,"users":900,"unassigned":3}`; one line per cluster, largest first, `{"cluster_id":4,"size":610,"cohesion":0.71,"items":[{"item_id":"i1","share":0.4,"share_of_all":0.1,"lift":4}],"attributes":[{"attribute":"genres","value":"Drama","share":0.5,"share_of_all":0.2,"lift":2.5}]}`, with what distinguishes it; and one line per user, `{"user_id":"u7","cluster_id":4}`, where `cluster_id` is null for a user who is not assigned to a cluster. The chart is a map of the clusters, as SVG; `map_url` has the same map as JSON. With `table_format`, the table has one row per user: `user_id` and `cluster_id`.',
      'A cluster keeps its ID from one clustering of the project to the next, even with a new model, if at least 30% of the users in either cluster are in both. An ID is never reused for another cluster.',
    ].join('\n\n'),
    request: Closed({
      name: Name('job'),
      project_id: Id('project'),
      model_id: Id('model'),
      cluster_type: ClusterType,
      parameters: ClusterParameters,
      table_format: TableFormat,
    }),
  },
  example: {
    request: {
      name: 'Clusters of readers',
      project_id: ids.project,
      model_id: ids.model,
      cluster_type: 'user',
      parameters: { min_user_num: 50 },
    },
    response: { job_id: ids.clustering },
  },
});
