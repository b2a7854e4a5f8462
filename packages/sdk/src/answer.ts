import type { Problem } from '@tastegraph/contract';
import { type ApiError, apiError } from './errors.ts';
import type { HttpAnswer } from './http.ts';
import type { ApiErrorCode } from './next-steps.ts';
import type { Action } from './repeatable.ts';

/**
 * The token endpoint answers as RFC 6749 says; to somebody who uses this client these are the same faults that
 * the operations have names for.
 */
const tokenErrorCodes: Partial<Record<string, ApiErrorCode>> = {
  invalid_client: 'UNAUTHENTICATED',
  invalid_scope: 'SCOPE_MISSING',
  invalid_request: 'INVALID_REQUEST',
  unsupported_grant_type: 'INVALID_REQUEST',
};

interface Finding {
  readonly code: ApiErrorCode;
  readonly detail: string;
  readonly errors?: Problem['errors'];
  readonly requestId?: string | undefined;
}

/** The JSON object that a successful answer holds; anything else is thrown as an ApiError. */
export function readAnswer(action: Action, answer: HttpAnswer, now: number): object {
  const body = parseObject(answer.text);
  const done = answer.status >= 200 && answer.status < 300;
  if (done && body) return body;
  throw failure(action, answer, (done ? undefined : findFault(body)) ?? unrecognized(answer), now);
}

function failure(action: Action, { status, headers }: HttpAnswer, found: Finding, now: number): ApiError {
  return apiError(action, {
    status,
    code: found.code,
    detail: found.detail,
    errors: found.errors ?? [],
    requestId: found.requestId ?? headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(headers.get('Retry-After'), now),
  });
}

function findFault(body: object | undefined): Finding | undefined {
  if (!body) return undefined;
  const { code, detail, errors, request_id } = body as Partial<Record<keyof Problem, unknown>>;
  if (typeof code === 'string' && typeof detail === 'string')
    return {
      code: code as ApiErrorCode,
      detail,
      errors: Array.isArray(errors) ? (errors as Problem['errors']) : [],
      requestId: typeof request_id === 'string' ? request_id : undefined,
    };
  const { error, error_description } = body as { error?: unknown; error_description?: unknown };
  const tokenCode = typeof error === 'string' ? tokenErrorCodes[error] : undefined;
  if (!tokenCode) return undefined;
  return {
    code: tokenCode,
    detail: typeof error_description === 'string' ? error_description : String(error),
  };
}

/** The body is not quoted: there is no telling what a stranger repeats in it, the request's headers perhaps. */
function unrecognized({ status, headers }: HttpAnswer): Finding {
  // A browser hides the status of a redirect that is not followed, and shows 0.
  const redirected = status === 0 || (status >= 300 && status < 400);
  const detail = redirected
    ? 'The address answers with a redirect, which is not followed.'
    : `The answer (${headers.get('Content-Type') ?? 'no content type'}) is not one of the service.`;
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

/** Seconds, or a date as proxies like to send. */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
