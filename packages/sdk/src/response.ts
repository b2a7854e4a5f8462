import type { Problem } from '@tastegraph/contract';
import { type ApiError, apiError } from './errors.ts';
import type { HttpResponse } from './http.ts';
import type { Action } from './idempotency.ts';
import type { ApiErrorCode } from './next-steps.ts';

/** The token endpoint uses the error codes of RFC 6749; these are the corresponding codes of the API. */
const tokenErrorCodes: Partial<Record<string, ApiErrorCode>> = {
  invalid_client: 'UNAUTHENTICATED',
  invalid_scope: 'SCOPE_MISSING',
  invalid_request: 'INVALID_REQUEST',
  unsupported_grant_type: 'INVALID_REQUEST',
};

interface ParsedError {
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly errors?: Problem['errors'];
  readonly requestId?: string | undefined;
  readonly resolveWith?: string | undefined;
}

/** Returns the JSON object of a successful response; throws an ApiError for any other response. */
export function parseResponse(action: Action, response: HttpResponse, now: number): object {
  const body = parseObject(response.text);
  const done = response.status >= 200 && response.status < 300;
  if (done && body) return body;
  throw failure(action, response, (done ? undefined : parseError(body)) ?? unrecognized(response), now);
}

function failure(
  action: Action,
  { status, headers }: HttpResponse,
  found: ParsedError,
  now: number,
): ApiError {
  return apiError(action, {
    status,
    code: found.code,
    detail: found.detail,
    errors: found.errors ?? [],
    requestId: found.requestId ?? headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get('Retry-After'), now),
    resolveWith: found.resolveWith,
  });
}

function parseError(body: object | undefined): ParsedError | undefined {
  if (!body) return undefined;
  const { code, detail, errors, request_id, resolve_with } = body as Partial<Record<keyof Problem, unknown>>;
  if (typeof code === 'string' && typeof detail === 'string')
    return {
      code: code as ApiErrorCode,
      detail,
      errors: Array.isArray(errors) ? (errors as Problem['errors']) : [],
      requestId: typeof request_id === 'string' ? request_id : undefined,
      resolveWith: typeof resolve_with === 'string' ? resolve_with : undefined,
    };
  const { error, error_description } = body as { error?: unknown; error_description?: unknown };
  const tokenCode = typeof error === 'string' ? tokenErrorCodes[error] : undefined;
  if (!tokenCode) return undefined;
  return {
    code: tokenCode,
    detail: typeof error_description === 'string' ? error_description : String(error),
  };
}

/** Does not quote the body: another server may echo the request's headers, and with them the token. */
function unrecognized({ status, headers }: HttpResponse): ParsedError {
  // Browsers report status 0 for a redirect that is not followed.
  const redirected = status === 0 || (status >= 300 && status < 400);
  const detail = redirected
    ? 'The server responded with a redirect, which the client does not follow.'
    : `The response (${headers.get('Content-Type') ?? 'no content type'}) is not from a Tastegraph service.`;
  return { code: 'UNRECOGNIZED', detail };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After is a number of seconds or a date. */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
