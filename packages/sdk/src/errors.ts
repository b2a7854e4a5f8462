import type { Problem } from '@tastegraph/contract';
import { type ApiErrorCode, nextSteps } from './next-steps.ts';
import { type Action, adviceOnRepeating, isRepeatable } from './repeatable.ts';

/** Everything that the client rejects with, but for a caller's own abort, which comes through as its reason. */
export class TastegraphError extends Error {
  readonly operation: Action;

  // On the prototype, not on each error, so that the stack's first line bears the name too.
  static {
    this.prototype.name = 'TastegraphError';
  }

  constructor(operation: Action, message: string, options?: ErrorOptions) {
    super(`${operation}: ${message}`, options);
    this.operation = operation;
  }
}

/** No answer came: refused, reset, a name that does not resolve, an answer that broke off. */
export class ConnectionError extends TastegraphError {
  static {
    this.prototype.name = 'ConnectionError';
  }
}

/** The call, or the wait, did not end within its `timeoutMs`. */
export class TimeoutError extends TastegraphError {
  readonly timeoutMs: number;

  static {
    this.prototype.name = 'TimeoutError';
  }

  constructor(operation: Action, timeoutMs: number, advice = adviceOnRepeating(operation)) {
    super(operation, `not done within ${timeoutMs} ms. ${advice}`);
    this.timeoutMs = timeoutMs;
  }
}

export interface ApiErrorFields {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The service answered, and refused or failed. */
export class ApiError extends TastegraphError implements ApiErrorFields {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  static {
    this.prototype.name = 'ApiError';
  }

  constructor(operation: Action, fields: ApiErrorFields) {
    super(operation, describe(operation, fields));
    this.status = fields.status;
    this.code = fields.code;
    this.detail = fields.detail;
    this.errors = fields.errors;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** The request itself is wrong; `errors` says where. */
export class ValidationError extends ApiError {
  static {
    this.prototype.name = 'ValidationError';
  }
}

/** The key, its secret or its permissions do not allow the call. */
export class AuthError extends ApiError {
  static {
    this.prototype.name = 'AuthError';
  }
}

/** There is no such thing in this account. */
export class NotFoundError extends ApiError {
  static {
    this.prototype.name = 'NotFoundError';
  }
}

/** Too many calls, and the retries that time and `maxRetries` allowed did not help. */
export class RateLimitError extends ApiError {
  static {
    this.prototype.name = 'RateLimitError';
  }
}

export function apiError(operation: Action, fields: ApiErrorFields): ApiError {
  return new (classOf(fields))(operation, fields);
}

/**
 * By code where only the service's own word will do: a 404 of some other server at a wrong address must not
 * pass for "that model does not exist".
 */
function classOf({ status, code }: ApiErrorFields): typeof ApiError {
  if (code === 'INVALID_REQUEST') return ValidationError;
  if (code === 'NOT_FOUND') return NotFoundError;
  if (status === 401 || code === 'SCOPE_MISSING') return AuthError;
  if (status === 429) return RateLimitError;
  return ApiError;
}

function describe(operation: Action, { status, code, detail, errors, requestId }: ApiErrorFields): string {
  const places = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  // "Try again" would be bad advice for what makes something new each time.
  const next =
    status >= 500 && !isRepeatable(operation)
      ? adviceOnRepeating(operation)
      : (nextSteps as Partial<Record<string, string>>)[code];
  return [
    `${code} (${status}): ${detail}`,
    places && `[${places}]`,
    next,
    requestId !== undefined && `Request id: ${requestId}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
