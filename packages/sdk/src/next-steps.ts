import type { ErrorCode } from '@tastegraph/contract';

/**
 * `UNRECOGNIZED` stands for an answer that is not the service's own: a proxy's page, a wrong `baseUrl`. A
 * service newer than this client may also answer with a code that `ErrorCode` does not list yet.
 */
export type ApiErrorCode = ErrorCode | 'UNRECOGNIZED';

/**
 * What somebody who calls through this client does next. The contract has the same for those who speak HTTP;
 * here it is in terms of the client's options and methods, and tokens are the client's own affair.
 */
export const nextSteps = {
  INVALID_REQUEST: 'Mend the fields named and call again.',
  UNAUTHENTICATED:
    'Check that apiKey and apiSecret are of the same key, and that the key has not been revoked.',
  SCOPE_MISSING:
    'Use a key that is allowed this operation, and leave what it is not allowed out of `scopes`.',
  QUOTA_EXCEEDED: 'Free what the plan counts, or have the plan raised.',
  NOT_FOUND: "Check the id, and that it belongs to this key's account; the list operations show what exists.",
  MODEL_DEPLOYED: 'Call shutdownDeployment, or deploy another model over it, then delete it.',
  DATASET_IN_USE: 'Delete the projects that refer to the dataset first.',
  PROJECT_NOT_DEPLOYED: 'Deploy a trained model with submitDeploymentJob.',
  PROJECT_REQUIRED: 'Give project_id.',
  JOB_NOT_CANCELABLE: 'Nothing to do: getJob shows how the job ended.',
  TOO_MANY_RECORDS: 'Split the call into smaller ones.',
  BODY_TOO_LARGE: 'Send fewer records in a call.',
  UNSUPPORTED_MEDIA_TYPE:
    'Check what stands between this client and the service: it changed the body or its headers.',
  RANGE_NOT_SATISFIABLE: 'Ask for bytes that the file has, or for all of it.',
  QPS_EXCEEDED: 'Call less often, or deploy with a larger qps.',
  TOO_MANY_REQUESTS: 'Call less often; share one client, so that its tokens are shared too.',
  INTERNAL: 'Try again; if it stays, report the request id.',
  UNAVAILABLE: 'Try again later.',
  UNRECOGNIZED: 'Check baseUrl, and what stands between this client and the service.',
} as const satisfies Record<ApiErrorCode, string>;
