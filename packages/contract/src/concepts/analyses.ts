import Type, { type Static } from 'typebox';
import { ids } from '../bookshop.ts';
import { Closed, Id, ItemAttributeName, integerMax, Name, Named, NamedObject } from '../fields.ts';
import { defineJobType, FilesResult } from '../job-type.ts';
import { limits } from '../limits.ts';

/** For job types whose result is nested, and which can write it as a table too. */
const TableFormat = Type.Optional(
  Named(
    'TableFormat',
    Type.Enum(['CSV', 'PARQUET'], {
      description:
        'Writes the result as a table too, for spreadsheets, data frames and warehouses. `table_url` in the job result is its URL.',
    }),
  ),
);

const QueryType = Named(
  'QueryType',
  Type.Enum(['user_list', 'user_distribution'], {
    description:
      'The type of the query: `user_list` returns the matching users, `user_distribution` a histogram of all users.',
  }),
);

const affinity = 'affinity for items with the value, from 0 to 1';
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
  description:
    'The value of the item attribute. It matches any element of an array. Values are compared by their text: the number 5 equals the string "5".',
});

const Condition = NamedObject('UserListCondition', {
  attribute: ItemAttributeName,
  value: Value,
  lower_bound: Type.Optional(
    Type.Number({
      default: 0,
      description: `The minimum ${affinity}. Inclusive. Below 0 it does not bound.`,
    }),
  ),
  upper_bound: Type.Optional(
    Type.Number({
      default: 1,
      description: `The maximum ${affinity}. Inclusive. Above 1 it does not bound.`,
    }),
  ),
});

const UserListQuery = NamedObject('UserListQuery', {
  conditions: Type.Array(Condition, {
    minItems: 1,
    maxItems: limits.conditionsPerQuery,
    description: 'The conditions. A user must meet all of them.',
  }),
});

const UserDistributionQuery = NamedObject('UserDistributionQuery', {
  attribute: ItemAttributeName,
  value: Value,
  bins: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.binsMax,
      default: limits.binsDefault,
      description: 'The number of bins of the histogram, of equal width from 0 to 1.',
    }),
  ),
});

const queries = {
  minItems: 1,
  maxItems: limits.queriesPerJob,
  description: 'The queries. The result contains them in the same order.',
};
const queryJob = {
  name: Name('job'),
  project_id: Id('project'),
  model_id: Id('model'),
  table_format: TableFormat,
};

const SubmitQuerying = Type.Union([
  NamedObject('SubmitUserList', {
    ...queryJob,
    query_type: Type.Literal('user_list', { description: 'Lists the users who match each query.' }),
    queries: Type.Array(UserListQuery, queries),
  }),
  NamedObject('SubmitUserDistribution', {
    ...queryJob,
    query_type: Type.Literal('user_distribution', {
      description: "Returns a histogram of the users' affinities for each query.",
    }),
    queries: Type.Array(UserDistributionQuery, queries),
  }),
]);

const crime = { attribute: 'genres', value: 'Crime' } as const;
const exampleJob = { name: 'Crime readers', project_id: ids.project, model_id: ids.model } as const;
/** The example that `/list-jobs` shows as a job. */
export const userListExample = {
  ...exampleJob,
  query_type: 'user_list' as const,
  queries: [{ conditions: [{ ...crime, lower_bound: 0.4 }] }],
} satisfies Static<typeof SubmitQuerying>;

export const querying = defineJobType({
  data: NamedObject('QueryingJobData', {
    model_id: Id('model'),
    query_type: QueryType,
    queries: Type.Array(Type.Union([UserListQuery, UserDistributionQuery]), {
      description: 'The queries, as submitted.',
    }),
    table_format: TableFormat,
  }),
  result: FilesResult,
  submit: {
    summary: 'Query users by their affinity for item attribute values',
    description: [
      "A user's affinity for a value of an item attribute, called `usage` in the results, is a number from 0 to 1. It is the share of the user's target events whose items have that value, each event weighted by its `event_value`, as of the training of the model. The fewer events a user has, the more the affinity follows the model's prediction. Bounds are inclusive, and the conditions of a query are combined with AND.",
      'The result of a `user_list` is NDJSON: one line per query, `{"query":0,"conditions":[…],"user_count":2}`, each followed by one line per matching user, `{"user_id":"u7","usage":[0.62]}`, with the affinity for each condition. The result of a `user_distribution` is JSON: `{"distributions":[{"attribute":"genres","value":"Drama","bins":20,"edges":[0,0.05,…],"counts":[31,…],"user_count":900,"chart":"<svg …"}]}`, with the chart of each query as SVG in the file, and in a file of its own (`chart_urls`).',
      'With `table_format`, a `user_list` has one row per user and condition: `query` (from 0), `user_id`, `attribute`, `value` and `usage`. A `user_distribution` has one row per bin: `query`, `attribute`, `value`, `low`, `high` and `users`.',
      'If no item had the attribute when the model was trained, this call fails. If no item had the value, the query returns 0 users, and a `message` in the file and in the job result names the nearest value.',
    ].join('\n\n'),
    request: SubmitQuerying,
    maxBodyBytes: limits.mediumBodyBytes,
  },
  example: {
    request: userListExample,
    otherRequests: [{ ...exampleJob, query_type: 'user_distribution', queries: [{ ...crime, bins: 20 }] }],
    response: { job_id: ids.querying },
  },
});

const ClusterType = Named('ClusterType', Type.Enum(['user'], { description: 'What to cluster.' }));

const ClusterParameters = NamedObject(
  'ClusteringParameters',
  {
    min_user_num: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: integerMax,
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
  'The parameters of the clustering. All of them are optional.',
);

const clusteringFields = {
  model_id: Id('model'),
  cluster_type: ClusterType,
  table_format: TableFormat,
};

export const clustering = defineJobType({
  data: NamedObject('ClusteringJobData', { ...clusteringFields, parameters: ClusterParameters }),
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
      ...clusteringFields,
      parameters: Type.Optional(ClusterParameters),
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
