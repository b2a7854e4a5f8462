/**
 * Every operation's method and path, and nothing else: no schema, no dependency, so that the SDK can ship
 * it to a browser. `operations/` gives each of these its request, response and errors.
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
  deleteDatasetUsers: ['DELETE', '/delete-dataset-users'],
  deleteDatasetItems: ['DELETE', '/delete-dataset-items'],
  deleteDatasetUserEvents: ['DELETE', '/delete-dataset-user-events'],
  deleteDatasetEventsBeforeTs: ['DELETE', '/delete-dataset-events-before-ts'],

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
  getJob: ['GET', '/get-job'],
  listJobs: ['GET', '/list-jobs'],
  cancelJob: ['POST', '/cancel-job'],

  getModel: ['GET', '/get-model'],
  listModels: ['GET', '/list-models'],
  updateModel: ['PUT', '/update-model'],
  deleteModel: ['DELETE', '/delete-model'],
  shutdownDeployment: ['DELETE', '/shutdown-deployment'],

  recommendItemsToUser: ['POST', '/recommend-items-to-user'],
} as const satisfies Record<string, readonly ['GET' | 'POST' | 'PUT' | 'DELETE', `/${string}`]>;

export type OperationName = keyof typeof endpoints;

export const operationNames = Object.keys(endpoints) as OperationName[];

export const tokenPath = '/oauth/token';
/** Followed by an object's key; only ever made by the service, as part of a signed address. */
export const downloadsPath = '/downloads';
export const jwksPath = '/.well-known/jwks.json';
