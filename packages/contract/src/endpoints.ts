/**
 * Every operation's method and path. This file has no schemas and no dependencies, so that the SDK can ship
 * it to a browser. `operations/` adds the request, response and errors of each operation.
 *
 * The path is also the operation's scope: a token for `/get-job` may call `/get-job`.
 */
export const endpoints = {
  createUserDataset: ['POST', '/create-user-dataset'],
  getUserDataset: ['GET', '/get-user-dataset'],
  listUserDatasets: ['GET', '/list-user-datasets'],
  updateUserDataset: ['PUT', '/update-user-dataset'],
  deleteUserDataset: ['DELETE', '/delete-user-dataset'],

  createItemDataset: ['POST', '/create-item-dataset'],
  getItemDataset: ['GET', '/get-item-dataset'],
  listItemDatasets: ['GET', '/list-item-datasets'],
  updateItemDataset: ['PUT', '/update-item-dataset'],
  deleteItemDataset: ['DELETE', '/delete-item-dataset'],

  createEventDataset: ['POST', '/create-event-dataset'],
  getEventDataset: ['GET', '/get-event-dataset'],
  listEventDatasets: ['GET', '/list-event-datasets'],
  updateEventDataset: ['PUT', '/update-event-dataset'],
  deleteEventDataset: ['DELETE', '/delete-event-dataset'],

  upsertDatasetUsers: ['POST', '/upsert-dataset-users'],
  upsertDatasetItems: ['POST', '/upsert-dataset-items'],
  upsertDatasetEvents: ['POST', '/upsert-dataset-events'],
  getDatasetUser: ['GET', '/get-dataset-user'],
  getDatasetItem: ['GET', '/get-dataset-item'],
  getDatasetEvent: ['GET', '/get-dataset-event'],
  listDatasetUsers: ['GET', '/list-dataset-users'],
  listDatasetItems: ['GET', '/list-dataset-items'],
  listDatasetEvents: ['GET', '/list-dataset-events'],
  deleteDatasetUsers: ['DELETE', '/delete-dataset-users'],
  deleteDatasetItems: ['DELETE', '/delete-dataset-items'],
  deleteDatasetUserEvents: ['DELETE', '/delete-dataset-user-events'],
  deleteDatasetEventsBeforeTs: ['DELETE', '/delete-dataset-events-before-ts'],
  eraseUser: ['POST', '/erase-user'],
  getErasure: ['GET', '/get-erasure'],

  createProject: ['POST', '/create-project'],
  getProject: ['GET', '/get-project'],
  listProjects: ['GET', '/list-projects'],
  updateProject: ['PUT', '/update-project'],
  deleteProject: ['DELETE', '/delete-project'],

  createAlgorithm: ['POST', '/create-algorithm'],
  getAlgorithm: ['GET', '/get-algorithm'],
  listAlgorithms: ['GET', '/list-algorithms'],
  updateAlgorithm: ['PUT', '/update-algorithm'],
  deleteAlgorithm: ['DELETE', '/delete-algorithm'],

  checkTraining: ['POST', '/check-training'],
  submitTrainingJob: ['POST', '/submit-training-job'],
  submitDeploymentJob: ['POST', '/submit-deployment-job'],
  submitQueryingJob: ['POST', '/submit-querying-job'],
  submitClusteringJob: ['POST', '/submit-clustering-job'],
  submitExportJob: ['POST', '/submit-export-job'],
  submitRecommendingJob: ['POST', '/submit-recommending-job'],
  getJob: ['GET', '/get-job'],
  listJobs: ['GET', '/list-jobs'],
  cancelJob: ['POST', '/cancel-job'],
  deleteJob: ['DELETE', '/delete-job'],

  getModel: ['GET', '/get-model'],
  listModels: ['GET', '/list-models'],
  updateModel: ['PUT', '/update-model'],
  deleteModel: ['DELETE', '/delete-model'],
  shutdownDeployment: ['DELETE', '/shutdown-deployment'],

  createScenario: ['POST', '/create-scenario'],
  getScenario: ['GET', '/get-scenario'],
  listScenarios: ['GET', '/list-scenarios'],
  updateScenario: ['PUT', '/update-scenario'],
  deleteScenario: ['DELETE', '/delete-scenario'],

  recommendItemsToUser: ['POST', '/recommend-items-to-user'],
  recommendItemsToItem: ['POST', '/recommend-items-to-item'],
  rankItemsForUser: ['POST', '/rank-items-for-user'],
  recommendPopularItems: ['POST', '/recommend-popular-items'],
} as const satisfies Record<string, readonly ['GET' | 'POST' | 'PUT' | 'DELETE', `/${string}`]>;

export type OperationName = keyof typeof endpoints;

export const operationNames = Object.keys(endpoints) as OperationName[];

/** Every `submit…Job` operation is a job type: `submitTrainingJob` submits jobs of type `TRAINING`. */
export type JobType = Uppercase<Submitted<OperationName>>;
type Submitted<Name> = Name extends `submit${infer Type}Job` ? Type : never;
export type SubmitName<Type extends JobType> = `submit${Capitalize<Lowercase<Type>>}Job`;

export const submitNameOf = <Type extends JobType>(type: Type) =>
  `submit${type.charAt(0)}${type.slice(1).toLowerCase()}Job` as SubmitName<Type>;

export const jobTypes = operationNames.flatMap(
  (name) => /^submit(\w+)Job$/.exec(name)?.[1]?.toUpperCase() ?? [],
) as JobType[];

export const tokenPath = '/oauth/token';
/** Followed by an object's key. Only the service creates these paths, as part of a signed URL. */
export const downloadsPath = '/downloads';
export const jwksPath = '/.well-known/jwks.json';
