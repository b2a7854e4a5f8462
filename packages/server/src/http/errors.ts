import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  type ErrorCode,
  endpoints,
  errorCodes,
  type Operation,
  operationNames,
  operations,
  type Problem,
} from '@tastegraph/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from './api-error.ts';
import { incompleteBody } from './body/body-rules.ts';

/** A relative reference, so that it works at every address of the API. */
const typeOf = (code: ErrorCode) => `/docs/errors#${code.toLowerCase()}`;

/** The operations of all roles. */
const operationPatterns = operationNames.map((name) => {
  const [method, path] = endpoints[name];
  const { aliases = [] }: Operation = operations[name];
  const paths = [path, ...aliases.map((alias) => alias.replaceAll(/\{\w+\}/g, '[^/]+'))];
  return new RegExp(`^${method} (?:${paths.join('|')})$`);
});

export function answerErrors(app: FastifyInstance): void {
  const methodsOf = trackMethods(app);
  app.setErrorHandler((error, request, reply) => {
    // The error of a client that disconnects while it sends its body looks like a lost database connection.
    const apiError = request.raw.errored === error ? incompleteBody(error) : mapError(error);
    return sendProblem(apiError, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = methodsOf(path);
    if (allowed.length > 0) {
      void reply.header('Allow', allowed.join(', '));
      const detail = `${path.slice(0, 200)} does not support ${request.method}. Use ${allowed.join(' or ')}.`;
      return sendProblem(new ApiError('METHOD_NOT_ALLOWED', detail), request, reply);
    }
    const operation = `${request.method} ${path.slice(0, 200)}`;
    const detail = operationPatterns.some((pattern) => pattern.test(`${request.method} ${path}`))
      ? `${operation} is not available at this address. Send recommendation calls to the project's serving_uri, and all other calls to the address of the API.`
      : `There is no operation ${operation}. The operations are listed at /docs.`;
    return sendProblem(new ApiError('NOT_FOUND', detail), request, reply);
  });
}

/** For errors before routing, such as a path that cannot be decoded. No hook has run yet. */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(securityHeaders).header('X-Request-Id', request.id);
  void sendProblem(mapError(error), request, reply);
}

/** Answers a request that is not valid HTTP directly on the socket, with the same error format, and closes the connection. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = isTimeout
    ? 'The request did not arrive in time. Send it again.'
    : 'The request is not valid HTTP, or its headers are too large.';
  const problem = problemOf(new ApiError('INVALID_REQUEST', message), randomUUID());
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} Bad Request`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${problem.request_id}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function mapError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode, message } = error as FastifyError;
  // Errors of libraries may have no code or a numeric one.
  const code = String((error as { code?: unknown }).code);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.', { cause: error });
  if (code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new ApiError('INVALID_REQUEST', `${message}.`, { cause: error });
  }
  return toApiError(error);
}

function sendProblem(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error, request.id);
  // Without a cause it is a deliberate refusal, such as of overload: the request's own log line is enough.
  if (problem.status >= 500 && error.cause !== undefined) request.log.error({ err: error }, error.code);
  if (error.retryAfterSeconds !== undefined)
    void reply.header('Retry-After', String(error.retryAfterSeconds));
  if (error.code === 'UNAUTHENTICATED') void reply.header('WWW-Authenticate', 'Bearer');
  return reply.code(problem.status).type('application/problem+json').send(problem);
}

function problemOf(error: ApiError, request_id: string): Problem {
  const { status, title, resolve }: (typeof errorCodes)[ErrorCode] & { resolve?: string } =
    errorCodes[error.code];
  return {
    type: typeOf(error.code),
    title,
    status,
    detail: error.message,
    code: error.code,
    errors: [...error.errors],
    request_id,
    ...(resolve === undefined ? {} : { resolve_with: resolve }),
  };
}

/** Returns a function that lists the methods allowed at a path, including those of routes added later. */
function trackMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const methods = typeof method === 'string' ? [method] : method;
    routes.push({ pattern: patternOf(url), methods });
  });
  return (path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].toSorted();
  };
}

/** Compiles a route such as `/projects/:project_id/recommend-items-to-user` or `/downloads/*`. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll(/[.\\+*?^$()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}

/**
 * Sent with every response: browsers must not guess content types, embed responses in other pages, or run or load anything.
 * HTML pages set their own policy. HSTS is left to the proxy, which has the certificate.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
