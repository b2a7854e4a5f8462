import Type from 'typebox';
import { Named, NamedObject } from './fields.ts';

/** Every error code, with its status and what the developer does next (docs/reference/errors.md). A code never changes its meaning. */
interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** What the developer does next. */
  readonly next: string;
  /** The operation that resolves the error, sent as `resolve_with`. Every 409 has one. */
  readonly resolve?: `/${string}`;
}

export const errorCodes = {
  INVALID_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    next: 'Correct the fields listed in `errors`. Each entry has the path of the field and what was expected.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'The call is not authenticated',
    next: 'Send `Authorization: Bearer <token>` and `APIKey: <api key>`. The token must have been issued for that key by `POST /oauth/token`. A write key needs only `Authorization: Bearer <write key>`.',
  },
  SCOPE_MISSING: {
    status: 403,
    title: 'The token does not allow this operation',
    next: "Request a token from `POST /oauth/token` whose `scope` contains the operation's path. A write key only writes events to the dataset that it was created for: for anything else, use an API key and a token.",
  },
  ROLE_MISSING: {
    status: 403,
    title: 'Your role does not allow this operation',
    next: 'Ask an owner of the account for the role that `detail` names, or choose another account in `Tastegraph-Account`.',
  },
  CSRF_REJECTED: {
    status: 403,
    title: 'The call may not come from the console',
    next: 'A call with a session cookie must have the header `Tastegraph-Csrf` with the `csrf_token` of `GET /console/session`. Reload the page if the session has changed.',
  },
  QUOTA_EXCEEDED: {
    status: 403,
    title: 'The account has reached a cap',
    next: '`detail` names the cap. Delete what you no longer need (to free shards, delete a dataset), wait for jobs or erasures to end, or ask the operator to raise the cap of the plan with `admin set-plan`.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found in this account',
    next: 'Check the ID, and that it belongs to the account of the API key. The list operations show what exists.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The path does not support this method',
    next: 'Use one of the methods in the `Allow` header.',
  },
  MODEL_DEPLOYED: {
    status: 409,
    title: 'The model is deployed',
    next: 'Call `/shutdown-deployment` or deploy another model, then delete this one.',
    resolve: '/shutdown-deployment',
  },
  MODEL_KEPT: {
    status: 409,
    title: 'The model is kept for a rollback',
    next: 'Deploy another model with `/submit-deployment-job` or call `/shutdown-deployment`: a rollback then no longer returns to this one, and you can delete it.',
    resolve: '/submit-deployment-job',
  },
  MODEL_UNFIT: {
    status: 409,
    title: 'The models cannot be served',
    next: '`detail` says why. What is deployed stays. Deploy another model with `/submit-deployment-job`.',
    resolve: '/submit-deployment-job',
  },
  DEPLOYMENT_CHANGED: {
    status: 409,
    title: 'Other models were deployed meanwhile',
    next: 'Look at the deployment with `/get-project`, then call again if you still want to.',
    resolve: '/get-project',
  },
  DATASET_IN_USE: {
    status: 409,
    title: 'A project uses the dataset',
    next: 'First delete the projects named in `detail` with `/delete-project`.',
    resolve: '/delete-project',
  },
  SCENARIO_EXISTS: {
    status: 409,
    title: 'The project already has a scenario with this name',
    next: 'Change the scenario with `/update-scenario`, or choose another name.',
    resolve: '/update-scenario',
  },
  SCENARIO_CHANGED: {
    status: 409,
    title: 'The scenario has a newer version',
    next: 'Read the current version with `/get-scenario`, apply your change to it and call again.',
    resolve: '/get-scenario',
  },
  EXPERIMENT_RUNNING: {
    status: 409,
    title: 'A running experiment needs it',
    next: 'Stop the experiment that `detail` names with `/stop-experiment`, then try again.',
    resolve: '/stop-experiment',
  },
  EXPERIMENT_STOPPED: {
    status: 409,
    title: 'The experiment was already stopped',
    next: '`/get-experiment` shows its results. To deploy the model of a variant, call `/submit-deployment-job`.',
    resolve: '/get-experiment',
  },
  LAST_OWNER: {
    status: 409,
    title: 'The account would have no owner',
    next: 'Make somebody else an owner first, with `/invite-person` or `/update-person`.',
    resolve: '/invite-person',
  },
  PROJECT_NOT_DEPLOYED: {
    status: 409,
    title: 'The project has no deployed model',
    next: 'Deploy a trained model with `/submit-deployment-job`.',
    resolve: '/submit-deployment-job',
  },
  NO_EARLIER_DEPLOYMENT: {
    status: 409,
    title: 'The project has no earlier deployment',
    next: 'Deploy another model with `/submit-deployment-job`.',
    resolve: '/submit-deployment-job',
  },
  JOB_NOT_CANCELABLE: {
    status: 409,
    title: 'The job has already ended',
    next: '`/get-job` shows how the job ended. To delete the job and its result, call `/delete-job`.',
    resolve: '/delete-job',
  },
  JOB_NOT_ENDED: {
    status: 409,
    title: 'The job has not ended',
    next: 'Cancel the job with `/cancel-job` or wait until it ends, then delete it.',
    resolve: '/cancel-job',
  },
  TOO_MANY_RECORDS: {
    status: 413,
    title: 'Too many records in one call',
    next: 'Split the call into calls of at most 1,000 records.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large',
    next: 'Send fewer records per call. An upsert may have up to 32 MiB after decompression; for other operations, see the limits.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The content type or encoding is not supported',
    next: 'Send `Content-Type: application/json`, uncompressed or with `Content-Encoding: gzip`.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'The range is outside the file',
    next: 'Request bytes below the size in `Content-Range`, or leave out `Range`.',
  },
  QPS_EXCEEDED: {
    status: 429,
    title: 'The project exceeds its queries per second',
    next: 'Wait as long as `Retry-After` says, or deploy with a larger `qps`.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    next: 'Wait as long as `Retry-After` says, and send fewer concurrent calls. A token is valid for one hour: reuse it instead of requesting one per call.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal server error',
    next: 'Try again. If the problem persists, report the `request_id`.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'The service is temporarily unavailable',
    next: 'Try again after `Retry-After` seconds. Upserts and deletes are safe to repeat.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCodes;

/** Why one record of an upsert failed, as `failures` reports it. The other records of the call are still written. */
export const failureCodes = {
  ID_INVALID:
    'The record has no ID, or the ID has control characters or is not 1 to 256 characters long (1 to 600 for an event).',
  FIELD_MISSING: 'A required field is missing.',
  FIELD_INVALID: 'A field has an invalid value, or the record has an unknown field.',
  ATTRIBUTE_TYPE: 'The value of an attribute does not match its kind (users and items only).',
  RECORD_TOO_LARGE:
    'The record is too large as JSON in UTF-8: over 20,480 bytes for an event, or over 262,144 bytes for a user or an item.',
  TIME_IN_FUTURE:
    "The event is more than 24 hours ahead of the server's clock. Check the sender's clock, and that `ts` is in milliseconds.",
  TIME_UNIT:
    'The newest `ts` of the call is a time since 1990 if it is in seconds, and it has to be in milliseconds. Multiply `ts` by 1000, or set `allow_old_ts` if these events are truly of January 1970.',
  DATASET_FULL:
    'The dataset already holds `num_shards` x 100,000 records. You can still update existing records.',
} as const;

export type FailureCode = keyof typeof failureCodes;

/** RFC 9457, extended with our code, the invalid fields and the request ID. */
export const Problem = NamedObject('Problem', {
  type: Type.String({ description: 'A URI that identifies the error code.' }),
  title: Type.String({ description: 'A short summary of the error code.' }),
  status: Type.Integer({ description: 'The HTTP status code.' }),
  detail: Type.String({ description: 'What went wrong in this call.' }),
  code: Named(
    'ErrorCode',
    Type.Enum(Object.keys(errorCodes) as ErrorCode[], {
      description: 'The error code. Its meaning never changes.',
    }),
  ),
  errors: Type.Array(
    NamedObject('ProblemPlace', {
      path: Type.String({ description: 'The path of the field, such as `queries.0.bins`.' }),
      message: Type.String({ description: 'What is wrong with the field.' }),
    }),
    { description: 'The invalid fields. Empty if the error is not about fields.' },
  ),
  request_id: Type.String({ description: 'The ID of the request. Include it when you report a problem.' }),
  resolve_with: Type.Optional(
    Type.String({
      description: 'The path of the operation that resolves the conflict. Only present with status 409.',
    }),
  ),
});
