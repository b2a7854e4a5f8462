/** The roles of people in an account. Each role may do everything that the roles before it may do. */
export const roles = ['VIEWER', 'EDITOR', 'OPERATOR', 'OWNER'] as const;

export type Role = (typeof roles)[number];

/** Whether a person with this role may call an operation whose least role is `least`. */
export const roleIncludes = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/**
 * Every operation's method and path, and the least role of a person who may call it. This file has no schemas and no
 * dependencies, so that the SDK can ship it to a browser. `concepts/` adds the request, response and errors of each operation.
 *
 * The path is also the operation's scope: a token for `/get-job` may call `/get-job`.
 */
export const endpoints = {
  createUserDataset: ['POST', '/create-user-dataset', 'EDITOR'],
  getUserDataset: ['GET', '/get-user-dataset', 'VIEWER'],
  listUserDatasets: ['GET', '/list-user-datasets', 'VIEWER'],
  updateUserDataset: ['PUT', '/update-user-dataset', 'EDITOR'],
  deleteUserDataset: ['DELETE', '/delete-user-dataset', 'OPERATOR'],

  createItemDataset: ['POST', '/create-item-dataset', 'EDITOR'],
  getItemDataset: ['GET', '/get-item-dataset', 'VIEWER'],
  listItemDatasets: ['GET', '/list-item-datasets', 'VIEWER'],
  updateItemDataset: ['PUT', '/update-item-dataset', 'EDITOR'],
  deleteItemDataset: ['DELETE', '/delete-item-dataset', 'OPERATOR'],

  createEventDataset: ['POST', '/create-event-dataset', 'EDITOR'],
  getEventDataset: ['GET', '/get-event-dataset', 'VIEWER'],
  listEventDatasets: ['GET', '/list-event-datasets', 'VIEWER'],
  updateEventDataset: ['PUT', '/update-event-dataset', 'EDITOR'],
  deleteEventDataset: ['DELETE', '/delete-event-dataset', 'OPERATOR'],

  upsertDatasetUsers: ['POST', '/upsert-dataset-users', 'EDITOR'],
  upsertDatasetItems: ['POST', '/upsert-dataset-items', 'EDITOR'],
  upsertDatasetEvents: ['POST', '/upsert-dataset-events', 'EDITOR'],
  getDatasetUser: ['GET', '/get-dataset-user', 'VIEWER'],
  getDatasetItem: ['GET', '/get-dataset-item', 'VIEWER'],
  getDatasetEvent: ['GET', '/get-dataset-event', 'VIEWER'],
  listDatasetUsers: ['GET', '/list-dataset-users', 'VIEWER'],
  listDatasetItems: ['GET', '/list-dataset-items', 'VIEWER'],
  listDatasetEvents: ['GET', '/list-dataset-events', 'VIEWER'],
  findItems: ['POST', '/find-items', 'VIEWER'],
  deleteDatasetUsers: ['DELETE', '/delete-dataset-users', 'OPERATOR'],
  deleteDatasetItems: ['DELETE', '/delete-dataset-items', 'OPERATOR'],
  deleteDatasetUserEvents: ['DELETE', '/delete-dataset-user-events', 'OPERATOR'],
  deleteDatasetEventsBeforeTs: ['DELETE', '/delete-dataset-events-before-ts', 'OPERATOR'],
  eraseUser: ['POST', '/erase-user', 'OPERATOR'],
  getErasure: ['GET', '/get-erasure', 'VIEWER'],

  createProject: ['POST', '/create-project', 'EDITOR'],
  getProject: ['GET', '/get-project', 'VIEWER'],
  listProjects: ['GET', '/list-projects', 'VIEWER'],
  updateProject: ['PUT', '/update-project', 'EDITOR'],
  deleteProject: ['DELETE', '/delete-project', 'OPERATOR'],

  createAlgorithm: ['POST', '/create-algorithm', 'EDITOR'],
  getAlgorithm: ['GET', '/get-algorithm', 'VIEWER'],
  listAlgorithms: ['GET', '/list-algorithms', 'VIEWER'],
  updateAlgorithm: ['PUT', '/update-algorithm', 'EDITOR'],
  deleteAlgorithm: ['DELETE', '/delete-algorithm', 'OPERATOR'],

  checkTraining: ['POST', '/check-training', 'VIEWER'],
  submitTrainingJob: ['POST', '/submit-training-job', 'OPERATOR'],
  submitDeploymentJob: ['POST', '/submit-deployment-job', 'OPERATOR'],
  submitQueryingJob: ['POST', '/submit-querying-job', 'OPERATOR'],
  submitClusteringJob: ['POST', '/submit-clustering-job', 'OPERATOR'],
  submitExportJob: ['POST', '/submit-export-job', 'OPERATOR'],
  submitImportJob: ['POST', '/submit-import-job', 'OPERATOR'],
  submitRecommendingJob: ['POST', '/submit-recommending-job', 'OPERATOR'],
  getJob: ['GET', '/get-job', 'VIEWER'],
  listJobs: ['GET', '/list-jobs', 'VIEWER'],
  cancelJob: ['POST', '/cancel-job', 'OPERATOR'],
  deleteJob: ['DELETE', '/delete-job', 'OPERATOR'],

  getModel: ['GET', '/get-model', 'VIEWER'],
  listModels: ['GET', '/list-models', 'VIEWER'],
  updateModel: ['PUT', '/update-model', 'EDITOR'],
  deleteModel: ['DELETE', '/delete-model', 'OPERATOR'],
  shutdownDeployment: ['DELETE', '/shutdown-deployment', 'OPERATOR'],
  rollbackDeployment: ['POST', '/rollback-deployment', 'OPERATOR'],

  createScenario: ['POST', '/create-scenario', 'EDITOR'],
  getScenario: ['GET', '/get-scenario', 'VIEWER'],
  listScenarios: ['GET', '/list-scenarios', 'VIEWER'],
  updateScenario: ['PUT', '/update-scenario', 'EDITOR'],
  deleteScenario: ['DELETE', '/delete-scenario', 'OPERATOR'],

  createExperiment: ['POST', '/create-experiment', 'OPERATOR'],
  getExperiment: ['GET', '/get-experiment', 'VIEWER'],
  listExperiments: ['GET', '/list-experiments', 'VIEWER'],
  stopExperiment: ['POST', '/stop-experiment', 'OPERATOR'],

  createSchedule: ['POST', '/create-schedule', 'OPERATOR'],
  getSchedule: ['GET', '/get-schedule', 'VIEWER'],
  listSchedules: ['GET', '/list-schedules', 'VIEWER'],
  updateSchedule: ['PUT', '/update-schedule', 'OPERATOR'],
  deleteSchedule: ['DELETE', '/delete-schedule', 'OPERATOR'],

  createWebhook: ['POST', '/create-webhook', 'EDITOR'],
  getWebhook: ['GET', '/get-webhook', 'VIEWER'],
  listWebhooks: ['GET', '/list-webhooks', 'VIEWER'],
  updateWebhook: ['PUT', '/update-webhook', 'EDITOR'],
  deleteWebhook: ['DELETE', '/delete-webhook', 'OPERATOR'],

  getProjectStatistics: ['GET', '/get-project-statistics', 'VIEWER'],
  getUsage: ['GET', '/get-usage', 'OPERATOR'],

  invitePerson: ['POST', '/invite-person', 'OWNER'],
  getPerson: ['GET', '/get-person', 'OWNER'],
  listPeople: ['GET', '/list-people', 'OWNER'],
  updatePerson: ['PUT', '/update-person', 'OWNER'],
  removePerson: ['DELETE', '/remove-person', 'OWNER'],
  listAuditEvents: ['GET', '/list-audit-events', 'OWNER'],
  createApiKey: ['POST', '/create-api-key', 'OPERATOR'],
  createWriteKey: ['POST', '/create-write-key', 'OPERATOR'],
  getApiKey: ['GET', '/get-api-key', 'OPERATOR'],
  listApiKeys: ['GET', '/list-api-keys', 'OPERATOR'],
  updateApiKey: ['PUT', '/update-api-key', 'OPERATOR'],
  revokeApiKey: ['DELETE', '/revoke-api-key', 'OPERATOR'],

  recommendItemsToUser: ['POST', '/recommend-items-to-user', 'VIEWER'],
  recommendItemsToItem: ['POST', '/recommend-items-to-item', 'VIEWER'],
  rankItemsForUser: ['POST', '/rank-items-for-user', 'VIEWER'],
  recommendPopularItems: ['POST', '/recommend-popular-items', 'VIEWER'],

  getRecommendation: ['GET', '/get-recommendation', 'VIEWER'],
  getOutcomes: ['GET', '/get-outcomes', 'VIEWER'],
} as const satisfies Record<string, readonly ['GET' | 'POST' | 'PUT' | 'DELETE', `/${string}`, Role]>;

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

/** Creates and submits create a new object each time, and a rollback goes one step further back. All other operations are idempotent. */
export const isIdempotent = (name: string): boolean => !/^(create|submit|rollback)[A-Z]/.test(name);

/** Operations that delete an object and return it. */
export type RemovalName = Exclude<
  Extract<OperationName, `delete${string}`>,
  Extract<OperationName, `deleteDataset${string}`>
>;

export const isRemoval = (name: string): name is RemovalName => /^delete(?!Dataset)/.test(name);

export const tokenPath = '/oauth/token';
/** Followed by an object's key. Only the service creates these paths, as part of a signed URL. */
export const downloadsPath = '/downloads';
export const jwksPath = '/.well-known/jwks.json';
