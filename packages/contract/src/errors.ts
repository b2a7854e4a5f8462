/**
 * The one table of error codes: what each is answered with, and what the developer does next.
 * Codes never change their meaning; `docs/reference/errors.md` is generated from here.
 */
interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** What the developer does next. */
  readonly next: string;
}

export const errorCodes = {
  INVALID_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    next: 'Mend the fields listed in `errors`, each with its path and what was expected there.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'The call is not authenticated',
    next: 'Send `Authorization: Bearer <token>` and `APIKey: <api key>` that belong together; get a token from `POST /oauth/token`.',
  },
  SCOPE_MISSING: {
    status: 403,
    title: 'The token does not allow this operation',
    next: "Ask `POST /oauth/token` for a token whose `scope` holds the operation's path.",
  },
  QUOTA_EXCEEDED: {
    status: 403,
    title: "The account's plan does not allow this",
    next: 'Free what the plan counts (for shards: delete an event dataset), or have the plan raised.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is no such thing in this account',
    next: 'Check the id and that it is of the account whose key you use; list operations show what exists.',
  },
  MODEL_DEPLOYED: {
    status: 409,
    title: 'The model is deployed',
    next: 'Call `/shutdown-deployment`, or deploy another model over it, then delete it.',
  },
  DATASET_IN_USE: {
    status: 409,
    title: 'A project refers to the dataset',
    next: 'Delete the projects named in `detail` first.',
  },
  PROJECT_NOT_DEPLOYED: {
    status: 409,
    title: 'No model is deployed for the project',
    next: 'Deploy a trained model with `/submit-deployment-job`.',
  },
  PROJECT_REQUIRED: {
    status: 409,
    title: 'Several projects are deployed',
    next: "Send `project_id`, or call under the project's `serving_uri`.",
  },
  JOB_NOT_CANCELABLE: {
    status: 409,
    title: 'The job has ended already',
    next: 'Nothing to do: `/get-job` shows how it ended.',
  },
  TOO_MANY_RECORDS: {
    status: 413,
    title: 'Too many records in one call',
    next: 'Split the call: at most 1000 records each.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large',
    next: 'Send fewer records in a call: a body may hold 32 MiB after decompression, and a million objects, arrays and keys.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The content type or encoding is not supported',
    next: 'Send `Content-Type: application/json`, plain or with `Content-Encoding: gzip`.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    title: 'The download has no such bytes',
    next: 'Ask for bytes below the size in `Content-Range`, or leave `Range` out.',
  },
  QPS_EXCEEDED: {
    status: 429,
    title: 'The project is over its queries per second',
    next: 'Wait as `Retry-After` says, or deploy with a larger `qps`.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    next: 'Wait as `Retry-After` says. Keep a token for its hour instead of asking for one a call.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong on our side',
    next: 'Try again; if it stays, report the `request_id`.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'The service cannot answer right now',
    next: 'Try again after `Retry-After`; upserts and deletes are safe to repeat.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCodes;

/** Why one record of an upsert failed, in `failures`. The others of the call are written all the same. */
export const failureCodes = {
  ID_INVALID: 'The record has no id, or one that is not 1 to 256 characters without control characters.',
  FIELD_MISSING: 'A required field is missing.',
  FIELD_INVALID: 'A field has a value that it cannot hold, or the record has a field that is not known.',
  ATTRIBUTE_TYPE: 'An attribute has a value that its kind cannot hold (users and items only).',
  RECORD_TOO_LARGE: 'The record is over 20,480 bytes as JSON in UTF-8.',
  DATASET_FULL:
    'The dataset holds num_shards x 100,000 records already; records it knows can still be updated.',
} as const;

export type FailureCode = keyof typeof failureCodes;
