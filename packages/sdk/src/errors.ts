import type { Problem } from '@tastegraph/contract';
import { isIdempotent } from '@tastegraph/contract/endpoints';
import { type Action, retryAdvice } from './idempotency.ts';
import { type ApiErrorCode, nextSteps } from './next-steps.ts';

/** The base class of all errors of the client. An aborted call rejects with the signal's reason instead. */
export class TastegraphError extends Error {
  readonly operation: Action;

  constructor(operation: Action, message: string, options?: ErrorOptions) {
    super(`${operation}: ${message}`, options);
    this.operation = operation;
  }
}

/** There was no response, or an incomplete one. `cause` is the platform's error. */
export class ConnectionError extends TastegraphError {
  /** The origin of the URL that was requested. */
  readonly origin: string;

  constructor(operation: Action, origin: string, cause: unknown) {
    super(
      operation,
      `no response from ${origin}${reasonOf(cause)}. Check baseUrl and the network. ${retryAdvice(operation)}`,
      { cause },
    );
    this.origin = origin;
  }
}

/** The platform's error code, which is often only in the cause of a "fetch failed" error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

/** The call or the wait exceeded its `timeoutMs`. */
export class TimeoutError extends TastegraphError {
  readonly timeoutMs: number;

  constructor(operation: Action, timeoutMs: number, advice = retryAdvice(operation)) {
    super(operation, `timed out after ${timeoutMs} ms. ${advice}`);
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
  /** The path of the operation that resolves a conflict (409). */
  readonly resolveWith: string | undefined;
}

/** The service refused the call or failed. */
export class ApiError extends TastegraphError implements ApiErrorFields {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly resolveWith: string | undefined;

  constructor(operation: Action, fields: ApiErrorFields) {
    super(operation, describe(operation, fields));
    this.status = fields.status;
    this.code = fields.code;
    this.detail = fields.detail;
    this.errors = fields.errors;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.resolveWith = fields.resolveWith;
  }
}

/** The request is invalid; `errors` lists the fields. */
export class ValidationError extends ApiError {}

/** The key or its secret is wrong, or the key lacks the scope for the operation. */
export class AuthError extends ApiError {}

/** The object was not found in this account. */
export class NotFoundError extends ApiError {}

/** Too many requests (429), even after all retries that `timeoutMs` and `maxRetries` allowed. */
export class RateLimitError extends ApiError {}

const classes = {
  TastegraphError,
  ConnectionError,
  TimeoutError,
  ApiError,
  ValidationError,
  AuthError,
  NotFoundError,
  RateLimitError,
};
// On the prototypes, so that the first line of the stack has the name too. Not from the classes, which a bundler may rename.
for (const [name, { prototype }] of Object.entries(classes)) prototype.name = name;

export function apiError(operation: Action, fields: ApiErrorFields): ApiError {
  return new (classOf(fields))(operation, fields);
}

/** Decides by code, not by status: a 404 from another server must not look like "the model does not exist". */
const authCodes: ReadonlySet<string | undefined> = new Set([
  'SCOPE_MISSING',
  'ROLE_MISSING',
  'CSRF_REJECTED',
]);

function classOf({ status, code }: ApiErrorFields): typeof ApiError {
  if (code === 'INVALID_REQUEST') return ValidationError;
  if (code === 'NOT_FOUND') return NotFoundError;
  if (status === 401 || authCodes.has(code)) return AuthError;
  if (status === 429) return RateLimitError;
  return ApiError;
}

function describe(operation: Action, { status, code, detail, errors, requestId }: ApiErrorFields): string {
  const fields = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  // "Try again" would be wrong for a create or a submit, which is not idempotent.
  const next =
    status >= 500 && !isIdempotent(operation)
      ? retryAdvice(operation)
      : (nextSteps as Partial<Record<string, string>>)[code];
  return [
    `${code} (${status}): ${detail}`,
    fields && `[${fields}]`,
    next,
    requestId !== undefined && `Request ID: ${requestId}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
