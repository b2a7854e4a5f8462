import type { OperationName } from './endpoints.ts';

/**
 * The published contract as data: its operations, and the fields of each request and response. Everything else in this package
 * is an extension. In a path, `[]` means the elements of an array and `{}` the values of a map with free keys.
 */
interface PublishedFields {
  readonly request: readonly string[];
  readonly response: readonly string[];
}

const datasetFields = ['name', 'num_shards', 'attribute_schema', 'attribute_schema{}'] as const;
const datasetOf = (kind: 'user' | 'item' | 'event') => [`${kind}_dataset_id`, ...datasetFields];
const upsertOf = (kind: 'user' | 'item' | 'event', record: readonly string[]): PublishedFields => ({
  request: [`${kind}_dataset_id`, `${kind}s`, ...record.map((field) => `${kind}s[].${field}`)],
  response: [`${kind}_dataset_id`, 'succeed_ids', 'failed_ids'],
});

const projectSettings = [
  'name',
  'project_type',
  'user_dataset_id',
  'item_dataset_id',
  'event_dataset_id',
  'target_event_type',
];
const algorithm = ['project_id', 'name', 'algorithm_type', 'algorithm_parameters'];
const model = [
  'project_id',
  'model_id',
  'name',
  'algorithm_type',
  'algorithm_parameters',
  'created_ts',
] as const;
const queries = [
  'queries',
  'queries[].conditions',
  'queries[].conditions[].attribute',
  'queries[].conditions[].value',
  'queries[].conditions[].lower_bound',
  'queries[].conditions[].upper_bound',
  'queries[].attribute',
  'queries[].value',
  'queries[].bins',
];
const clustering = ['cluster_type', 'parameters', 'parameters.min_user_num'];
const jobData = [
  'algorithm_type',
  'algorithm_parameters',
  'generator_model_id',
  'ranker_model_id',
  'model_id',
  'query_type',
  ...queries,
  ...clustering,
];
const jobResult = ['model_id', 'serving_uri', 'download_url', 'expired_at_sec', 'message'];
const job = [
  'project_id',
  'job_id',
  'job_type',
  'created_ts',
  'name',
  'job_data',
  ...jobData.map((field) => `job_data.${field}`),
  'job_result',
  ...jobResult.map((field) => `job_result.${field}`),
  'job_status',
  'retry_count',
];

/** All operations of the published contract. */
export const published: Readonly<Partial<Record<OperationName, PublishedFields>>> = {
  createUserDataset: { request: datasetFields, response: datasetOf('user') },
  upsertDatasetUsers: upsertOf('user', ['user_id', 'attributes', 'attributes{}']),
  createItemDataset: { request: datasetFields, response: datasetOf('item') },
  upsertDatasetItems: upsertOf('item', ['item_id', 'attributes', 'attributes{}']),
  createEventDataset: { request: datasetFields, response: datasetOf('event') },
  updateEventDataset: {
    request: ['event_dataset_id', 'name', 'attribute_schema', 'attribute_schema{}'],
    response: datasetOf('event'),
  },
  getEventDataset: { request: ['event_dataset_id'], response: datasetOf('event') },
  listEventDatasets: {
    request: [],
    response: ['event_datasets', ...datasetOf('event').map((field) => `event_datasets[].${field}`)],
  },
  deleteEventDataset: { request: ['event_dataset_id'], response: datasetOf('event') },
  upsertDatasetEvents: upsertOf('event', [
    'event_id',
    'user_id',
    'item_id',
    'ts',
    'event_type',
    'event_value',
    'attributes',
    'attributes{}',
  ]),
  deleteDatasetUserEvents: {
    request: ['event_dataset_id', 'user_id'],
    response: ['event_dataset_id', 'user_id'],
  },
  deleteDatasetEventsBeforeTs: {
    request: ['event_dataset_id', 'ts', 'start_ts'],
    response: ['event_dataset_id', 'ts'],
  },

  createProject: { request: projectSettings, response: ['project_id', ...projectSettings, 'serving_uri'] },
  createAlgorithm: { request: algorithm, response: [...algorithm, 'algorithm_id'] },

  submitTrainingJob: { request: ['project_id', 'algorithm_id', 'name'], response: ['job_id'] },
  submitDeploymentJob: {
    request: ['project_id', 'name', 'generator_model_id', 'ranker_model_id', 'qps'],
    response: ['job_id'],
  },
  submitQueryingJob: {
    request: ['name', 'project_id', 'model_id', 'query_type', ...queries],
    response: ['job_id'],
  },
  submitClusteringJob: { request: ['name', 'project_id', 'model_id', ...clustering], response: ['job_id'] },
  getJob: { request: ['project_id', 'job_id'], response: job },

  updateModel: { request: ['project_id', 'model_id', 'name'], response: model },
  getModel: { request: ['project_id', 'model_id'], response: model },
  listModels: { request: ['project_id'], response: ['models', ...model.map((field) => `models[].${field}`)] },
  deleteModel: { request: ['project_id', 'model_id'], response: model },
  shutdownDeployment: { request: ['project_id'], response: ['project_id'] },

  recommendItemsToUser: {
    request: ['user_id', 'attributes', 'limit'],
    response: [
      'user_id',
      'limit',
      'attributes',
      'filter_query',
      'results',
      'results[].item',
      'results[].item.item_id',
      'results[].item{}',
    ],
  },
};

/** Whether the published contract does not have this operation. */
export const isExtension = (name: OperationName): boolean => published[name] === undefined;
