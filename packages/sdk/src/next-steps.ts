import type { ErrorCode } from '@tastegraph/contract';

/**
 * The code of an ApiError. `UNRECOGNIZED` means that the response is not from the service, for example with a wrong
 * `baseUrl` or from a proxy. A service newer than this client may also return codes that `ErrorCode` does not list.
 */
export type ApiErrorCode = ErrorCode | 'UNRECOGNIZED';

/** What to do next, in terms of the options and methods of this client. The contract has the same for plain HTTP. */
export const nextSteps = {
  INVALID_REQUEST: 'Correct the fields in the message and call again.',
  UNAUTHENTICATED: 'Check that apiKey and apiSecret belong together, and that the key has not been revoked.',
  SCOPE_MISSING:
    'Use an API key that allows this operation. If you set `scopes`, list only operations that the key allows.',
  ROLE_MISSING: 'Ask an owner of the account for the role that the message names.',
  CSRF_REJECTED: 'Pass the csrf_token of the current session as csrfToken.',
  LAST_OWNER: 'Make somebody else an owner of the account first.',
  QUOTA_EXCEEDED:
    'Delete what you no longer need, wait for jobs or erasures to end, or ask the operator to raise the cap of the plan.',
  NOT_FOUND:
    'Check the ID, and that it belongs to the account of the API key. The list operations show what exists.',
  METHOD_NOT_ALLOWED:
    'Check that baseUrl points to the service, and that the SDK has the same version as the service.',
  MODEL_DEPLOYED: 'Call shutdownDeployment or deploy another model, then delete this one.',
  SCENARIO_CHANGED: 'Read the current version with getScenario, apply your change to it and call again.',
  SCENARIO_EXISTS: 'Change it with updateScenario, or choose another name.',
  EXPERIMENT_RUNNING: 'Stop the experiment with stopExperiment, then try again.',
  EXPERIMENT_STOPPED: 'Call getExperiment to see its results.',
  MODEL_KEPT: 'Deploy another model, then delete this one.',
  MODEL_UNFIT: 'Deploy another model.',
  DEPLOYMENT_CHANGED: 'Look at the deployment, then call again if you still want to.',
  DATASET_IN_USE: 'First delete the projects that use the dataset.',
  PROJECT_NOT_DEPLOYED: 'Deploy a trained model with submitDeploymentJob.',
  NO_EARLIER_DEPLOYMENT: 'Deploy another model with submitDeploymentJob.',
  JOB_NOT_CANCELABLE: 'The job has already ended. Call getJob to see its outcome.',
  JOB_NOT_ENDED: 'Cancel the job with cancelJob or wait until it ends, then delete it.',
  TOO_MANY_RECORDS: 'Split the call into smaller ones.',
  BODY_TOO_LARGE: 'Send fewer records per call.',
  UNSUPPORTED_MEDIA_TYPE:
    'Check for a proxy between this client and the service that changes the body or its headers.',
  RANGE_NOT_SATISFIABLE: 'Request bytes within the size of the file, or the whole file.',
  QPS_EXCEEDED: 'Send fewer calls per second, or deploy with a larger qps.',
  TOO_MANY_REQUESTS: 'Send fewer calls. Share one client, so that its tokens are reused.',
  INTERNAL: 'Try again. If the problem persists, report the request ID.',
  UNAVAILABLE: 'Try again later.',
  UNRECOGNIZED: 'Check baseUrl and any proxy between this client and the service.',
} as const satisfies Record<ApiErrorCode, string>;
