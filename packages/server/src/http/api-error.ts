import type { ErrorCode } from '@tastegraph/contract';
import { DeadlineExceededError } from '../kernel/lib/within.ts';
import { ObjectStoreError } from '../kernel/objects/error.ts';
import { isUnavailable, missingReference } from '../kernel/postgres/pool.ts';

interface ApiErrorOptions {
  /** The invalid fields of the request. */
  readonly errors?: readonly { path: string; message: string }[];
  readonly retryAfterSeconds?: number;
  /** The underlying error. Logged, never sent to the caller. */
  readonly cause?: unknown;
}

/** An error to send to the caller, with a code of the contract. `http/errors.ts` maps the code to an HTTP status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly errors: readonly { path: string; message: string }[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { errors = [], retryAfterSeconds, cause }: ApiErrorOptions = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The same message whether it does not exist or belongs to another account, so that callers cannot probe for IDs. */
export function notFound(kind: string, id: string, projectId?: string): ApiError {
  const place = projectId === undefined ? 'this account' : `project \`${projectId}\` of this account`;
  return new ApiError(
    'NOT_FOUND',
    `${kind} \`${id}\` was not found in ${place}. Check the ID, and that it belongs to the account of the API key.`,
  );
}

/** The row, if there is one: else throws that it was not found. */
export function requireFound<Row>(row: Row | undefined, kind: string, id: string, projectId?: string): Row {
  if (row === undefined) throw notFound(kind, id, projectId);
  return row;
}

/** A field of the request whose value is wrong for a reason that no schema can say. `message` continues after its name. */
export const invalidField = (path: string, message: string) => invalidFields([{ path, message }]);

export function invalidFields(errors: NonNullable<ApiErrorOptions['errors']>): ApiError {
  const detail = errors.map(({ path, message }) => `${path} ${message}`);
  return new ApiError('INVALID_REQUEST', `${detail.join('; ')}.`, { errors });
}

/** A caller may not use a schedule, an experiment or a retention for what they may not do directly. */
export function callNotAllowed(path: string): ApiError {
  return new ApiError('SCOPE_MISSING', `The API key does not allow \`${path}\`.`);
}

/** Converts any thrown value to the error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error) || error instanceof DeadlineExceededError) return unavailable('database', error);
  if (error instanceof ObjectStoreError && error.kind === 'unavailable')
    return unavailable('object store', error);
  const missing = missingReference(error);
  if (missing !== undefined)
    return new ApiError('NOT_FOUND', `The ${missing} was deleted while the call was handled.`, {
      cause: error,
    });
  return new ApiError(
    'INTERNAL',
    'An internal error occurred. Try again. If the problem persists, report the request ID.',
    { cause: error },
  );
}

function unavailable(what: string, cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', `The ${what} cannot be reached or is overloaded. Try again shortly.`, {
    // Long enough for the first step of a failover, short enough for a brief outage.
    retryAfterSeconds: 1,
    cause,
  });
}
