import { randomUUID } from 'node:crypto';
import {
  buildOpenApi,
  endpoints,
  type Operation,
  type OperationName,
  operationNames,
  operations,
} from '@tastegraph/contract';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Context } from '../domain/context.ts';
import type { Downloads } from '../domain/download/find-download.ts';
import { Fault } from '../domain/fault.ts';
import type { Authenticator, Identity } from '../domain/token/authenticate.ts';
import type { TokenIssuer } from '../domain/token/issue-token.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { acceptJson } from './body.ts';
import { serveDocs } from './docs.ts';
import { serveDownloads } from './downloads.ts';
import { answerBroken, answerErrors, answerWithoutRoute } from './errors.ts';
import type { Handler, Handlers } from './handlers.ts';
import { serveTokens } from './token.ts';
import { compileRequest } from './validate.ts';

export interface AppParts {
  readonly handlers: Handlers;
  readonly work: Omit<Context, 'accountId'>;
  readonly authenticator: Authenticator;
  readonly issuing: TokenIssuer;
  /** Of the results of jobs; absent where there are no jobs. */
  readonly downloads: Downloads | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trustProxy: string | undefined;
  /** Whether the process can serve: its database answers, and it is not shutting down. */
  readonly isReady: () => Promise<boolean>;
}

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null;
  }
}

/** The HTTP face of a process: every operation that has a handler, tokens, documentation, health. */
export function buildApp(parts: AppParts): FastifyInstance {
  const log: FastifyBaseLogger = parts.log;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ requestIdLogLabel: 'request_id', disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: parts.trustProxy ?? false,
    exposeHeadRoutes: false,
    frameworkErrors: answerWithoutRoute,
    clientErrorHandler: answerBroken,
    // What a kept connection still brings while we close is answered, and told to connect anew.
    return503OnClosing: false,
    // A request that has not arrived whole by then never will; a slow sender must not hold a connection for ever.
    requestTimeout: 60_000,
    // Longer than a load balancer's usual 60 s, so that it is never we who close a connection it is about to use.
    keepAliveTimeout: 72_000,
  });
  app.decorateRequest('identity', null);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', request.id);
  });
  app.addHook('onSend', async (_request, reply) => {
    // A connection that the caller keeps would keep the process, too, until its time is over.
    if (parts.work.stopping.aborted) void reply.header('Connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    parts.metrics.requestAnswered(request.routeOptions.url, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account_id: request.identity?.accountId,
      },
      'request',
    );
  });
  answerErrors(app);
  serveTokens(app, parts.issuing);
  const registered = operationNames.filter((name) => parts.handlers[name] !== undefined);
  serveDocs(app, buildOpenApi(registered));
  serveHealth(app, parts.isReady);
  if (parts.downloads) serveDownloads(app, parts.downloads);
  void app.register(async (scope) => {
    acceptJson(scope);
    for (const name of registered) serveOperation(scope, name, parts);
  });
  return app;
}

function serveOperation(app: FastifyInstance, name: OperationName, parts: AppParts): void {
  const [method, path] = endpoints[name];
  const parse = compileRequest(name) as (input: unknown, bytes: number) => never;
  const handle = parts.handlers[name] as unknown as Handler<OperationName>;
  const operation: Operation = operations[name];
  const urls = [path, ...(operation.aliases ?? []).map((alias) => alias.replaceAll(/\{(\w+)\}/g, ':$1'))];
  for (const url of urls) {
    app.route({
      method,
      url,
      // Before the body is read: nobody's megabytes are parsed for a caller we do not know.
      onRequest: async (request) => {
        const { authorization } = request.headers;
        const apiKey = oneHeader(request, 'apikey');
        request.identity = await parts.authenticator.authenticate(authorization, apiKey, path);
      },
      handler: async (request) => {
        const sent = method === 'GET' ? request.query : request.body;
        const input = parse(withPlace(sent, request.params), request.bodyBytes);
        const accountId = request.identity?.accountId ?? '';
        return handle({ ...parts.work, accountId }, input);
      },
    });
  }
}

/** What the path names goes with the rest; a body that names another is refused as one that names it twice. */
function withPlace(sent: unknown, place: unknown): unknown {
  const named = Object.entries(place as Record<string, string>);
  if (named.length === 0 || typeof sent !== 'object' || sent === null) return sent;
  const twice = named.find(
    ([name, value]) => Object.hasOwn(sent, name) && (sent as Record<string, unknown>)[name] !== value,
  );
  if (twice) {
    const message = `must be that of the path, ${twice[1]}, or absent`;
    throw new Fault('INVALID_REQUEST', `${twice[0]} ${message}.`, { errors: [{ path: twice[0], message }] });
  }
  return { ...sent, ...Object.fromEntries(named) };
}

function serveHealth(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
}

function oneHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The caller's own id when it is sane, so that it is found in our logs; else one of ours. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
