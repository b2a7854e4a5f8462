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
import { Fault, toFault } from '../domain/fault.ts';

/** Where every code is explained; a relative reference, so that it is right wherever the API is reached. */
const typeOf = (code: ErrorCode) => `/docs/errors#${code.toLowerCase()}`;

/** What Fastify itself refuses, in our codes. Whatever it throws that is not named here is INVALID_REQUEST or INTERNAL. */
const fastifyCodes: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'BODY_TOO_LARGE',
    message: 'The body is larger than 32 MiB. Send fewer records in a call.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as application/json.',
  },
};

/** All there are, in whatever role. */
const operationPatterns = operationNames.map((name) => {
  const [method, path] = endpoints[name];
  const { aliases = [] }: Operation = operations[name];
  const paths = [path, ...aliases.map((alias) => alias.replaceAll(/\{\w+\}/g, '[^/]+'))];
  return new RegExp(`^${method} (?:${paths.join('|')})$`);
});

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    // The connection broke while the body came in; as a broken connection it would be taken for the database's.
    const fault =
      request.raw.errored === error
        ? new Fault('INVALID_REQUEST', 'The request ended before its body was whole.', { cause: error })
        : readFault(error);
    return answer(fault, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const asked = `${request.method} ${path.slice(0, 200)}`;
    const detail = operationPatterns.some((pattern) => pattern.test(`${request.method} ${path}`))
      ? `This process does not answer ${asked}, processes of another role do: ask for recommendations at the project's serving_uri, for all else at the address of the API.`
      : `There is no operation ${asked}.`;
    return answer(new Fault('NOT_FOUND', detail), request, reply);
  });
}

/** What goes wrong before there is a route, as a path that cannot be decoded: no hook has run yet. */
export function answerWithoutRoute(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('X-Request-Id', request.id);
  void answer(readFault(error), request, reply);
}

/** What is not even HTTP is answered on the bare connection, in the same shape, and the connection ended. */
export function answerBroken(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = late
    ? 'The request did not arrive in time.'
    : 'The request is not sound HTTP, or its headers are too large.';
  const problem = problemOf(new Fault('INVALID_REQUEST', message), randomUUID());
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} Bad Request`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${problem.request_id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function readFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { statusCode, message } = error as FastifyError;
  // What others throw may have no code, or a number.
  const code = String((error as { code?: unknown }).code);
  const known = fastifyCodes[code];
  if (known) return new Fault(known.code, known.message, { cause: error });
  if (code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    return new Fault('INVALID_REQUEST', `${message}.`, { cause: error });
  }
  return toFault(error);
}

function answer(fault: Fault, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(fault, request.id);
  // Without a cause it was our decision, as to shed a call in a flood: its own line in the log says enough.
  if (problem.status >= 500 && fault.cause !== undefined) request.log.error({ err: fault }, fault.code);
  if (fault.retryAfterSeconds !== undefined)
    void reply.header('Retry-After', String(fault.retryAfterSeconds));
  if (fault.code === 'UNAUTHENTICATED') void reply.header('WWW-Authenticate', 'Bearer');
  return reply.code(problem.status).type('application/problem+json').send(problem);
}

function problemOf(fault: Fault, request_id: string): Problem {
  const { status, title } = errorCodes[fault.code];
  return {
    type: typeOf(fault.code),
    title,
    status,
    detail: fault.message,
    code: fault.code,
    errors: [...fault.errors],
    request_id,
  };
}
