import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  buildOpenApi,
  endpoints,
  limits,
  type Operation,
  type OperationName,
  operationNames,
  operations,
} from '@tastegraph/contract';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { recordChange } from '../audit/record-change.ts';
import { serveSegment } from '../imports/sources/segment.ts';
import type { Downloads } from '../jobs/downloads/downloads.ts';
import { createIsHolder } from '../jobs/downloads/find-download.ts';
import { serveDownloads } from '../jobs/downloads/serve-downloads.ts';
import { JsonText } from '../kernel/lib/json-text.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';
import type { Authenticator, Identity } from '../keys/authenticate.ts';
import type { TokenIssuer } from '../keys/issue-token.ts';
import { serveTokens } from '../keys/token-route.ts';
import type { WriteKeys } from '../keys/write-keys.ts';
import type { Cookie } from '../people/console/cookie.ts';
import { type ConsolePages, serveConsolePages } from '../people/console/pages.ts';
import { type SignInParts, serveConsole } from '../people/console/routes.ts';
import type { Sessions } from '../people/sessions.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { ApiError } from './api-error.ts';
import { acceptJson } from './body/accept-json.ts';
import { bodyRulesOf } from './body/body-rules.ts';
import { drainUnreadBodies } from './body/drain-body.ts';
import type { CallLimits } from './call-limits.ts';
import type { CallFacts, Context } from './context.ts';
import { serveDocs } from './docs.ts';
import { compileEchoCheck } from './echoed-fields.ts';
import { answerErrors, answerFrameworkError, answerMalformed } from './errors.ts';
import type { Handler, Handlers } from './handlers.ts';
import { callerOf, identify } from './identify.ts';
import { securityHeaders } from './security-headers.ts';
import { compileRequest } from './validate.ts';

export interface AppParts {
  readonly handlers: Handlers;
  readonly work: Omit<Context, 'accountId' | 'callerId' | 'mayCall' | 'writeScope' | 'requestId' | 'facts'>;
  readonly authenticator: Authenticator;
  readonly writeKeys: WriteKeys;
  readonly sessions: Sessions;
  readonly cookie: Cookie;
  /** Absent in a process that serves recommendations only. */
  readonly signIn: SignInParts | undefined;
  readonly limits: CallLimits;
  readonly tokenIssuer: TokenIssuer;
  /** Absent in a process without the job operations. */
  readonly downloads: Downloads | undefined;
  /** Absent in a process without the operations that it calls, and before it is built. */
  readonly consolePages: ConsolePages | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trustProxy: string | undefined;
  /** The response of /readyz. */
  readonly readiness: () => Promise<{ readonly status: 'ready' | 'not ready'; readonly reason?: string }>;
}

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null;
    facts: CallFacts | null;
  }
  interface FastifyContextConfig {
    /** Whether the route is a recommendation call. Absent from routes that are no operations. */
    isRecommendation?: boolean;
  }
}

/** The HTTP server of a process: every operation that has a handler, tokens, documentation and health checks. */
export function buildApp(parts: AppParts): FastifyInstance {
  const log: FastifyBaseLogger = parts.log;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ requestIdLogLabel: 'request_id', disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: parts.trustProxy ?? false,
    exposeHeadRoutes: false,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerMalformed,
    // While closing, requests on open connections are still answered, with `Connection: close`.
    return503OnClosing: false,
    // A slow sender must not hold a connection forever.
    requestTimeout: 60_000,
    // How often requestTimeout is checked. With the default of 30 s, it would take up to 90 s.
    http: { connectionsCheckingInterval: 5000 },
    // Longer than the usual 60 s of load balancers, so that we never close a connection that one is about to use.
    keepAliveTimeout: 72_000,
  });
  app.decorateRequest('identity', null);
  app.decorateRequest('facts', null);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders).header('X-Request-Id', request.id);
  });
  if (parts.trustProxy === undefined) warnOfProxies(app);
  drainUnreadBodies(app, parts.work.stopping);
  app.addHook('onSend', async (_request, reply) => {
    // A keep-alive connection would delay the end of the process until its timeout.
    if (parts.work.stopping.aborted) void reply.header('Connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    parts.metrics.requestAnswered(request.routeOptions.url, reply.statusCode, reply.elapsedTime / 1000);
    countCall(parts.work.usage, request, reply);
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account_id: request.identity?.accountId,
        person_id: request.identity?.person?.personId,
        scenario: scenarioOf(request.body),
      },
      'request',
    );
  });
  answerErrors(app);
  serveTokens(app, parts.tokenIssuer);
  const registered = operationNames.filter((name) => parts.handlers[name] !== undefined);
  serveDocs(app, buildOpenApi(registered));
  if (parts.consolePages) serveConsolePages(app, parts.consolePages);
  serveHealth(app, parts.readiness);
  if (parts.signIn) serveConsole(app, parts.sessions, parts.cookie, parts.signIn);
  if (parts.downloads)
    serveDownloads(app, parts.downloads, createIsHolder(parts.work.db), parts.work.stopping);
  void app.register(async (scope) => {
    acceptJson(scope);
    for (const name of registered) serveOperation(scope, name, parts);
    if (parts.handlers.upsertDatasetEvents) serveSegment(scope, parts);
  });
  return app;
}

/** Counts calls of operations by callers that are known. */
function countCall(usage: UsageRecorder, request: FastifyRequest, reply: FastifyReply): void {
  const { identity, facts } = request;
  const { isRecommendation } = request.routeOptions.config;
  if (!identity || isRecommendation === undefined) return;
  usage.callAnswered({
    accountId: identity.accountId,
    callerId: identity.callerId,
    projectId: facts?.projectId,
    isRecommendation,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    isDegraded: facts?.isDegraded ?? false,
  });
}

/** Undefined for requests without one, and so absent from the log. */
function scenarioOf(body: unknown): string | undefined {
  const { scenario } = (body ?? {}) as { scenario?: unknown };
  return typeof scenario === 'string' ? scenario.slice(0, limits.nameLength) : undefined;
}

/** Warns once: an untrusted header means a proxy that is not configured, or a caller that tries to spoof its address. */
function warnOfProxies(app: FastifyInstance): void {
  let hasWarned = false;
  app.addHook('onRequest', async (request) => {
    if (hasWarned || request.headers['x-forwarded-for'] === undefined) return;
    hasWarned = true;
    request.log.warn(
      'a request has X-Forwarded-For but TRUST_PROXY is not set: limits per address use the address of the connection. If a proxy sent it, set TRUST_PROXY',
    );
  });
}

function serveOperation(app: FastifyInstance, name: OperationName, parts: AppParts): void {
  const [method, path] = endpoints[name];
  const parse = compileRequest(name) as (input: unknown, bytes: number) => never;
  const handle = parts.handlers[name] as unknown as Handler<OperationName>;
  const checkEcho = compileEchoCheck(name, parts.handlers);
  const operation: Operation = operations[name];
  const body = bodyRulesOf(name);
  const urls = [path, ...(operation.aliases ?? []).map((alias) => alias.replaceAll(/\{(\w+)\}/g, ':$1'))];
  for (const url of urls) {
    app.route({
      method,
      url,
      config: { body, isRecommendation: operation.concept === 'Recommendation' },
      // Authenticates before the body is read, so that unknown callers cannot make us parse megabytes.
      onRequest: async (request) => {
        request.identity = await identify(parts, request, name);
      },
      handler: async (request, reply) => {
        const sent = method === 'GET' ? request.query : request.body;
        const input = parse(withPathParameters(sent, request.params), request.bodyBytes);
        const { identity } = request;
        if (!identity) throw new Error('the caller was not identified');
        const { accountId } = identity;
        const facts = { projectId: projectOf(input), isDegraded: false };
        request.facts = facts;
        const call = { ...parts.work, ...callerOf(identity), requestId: request.id, facts };
        const onLost = (error: unknown) =>
          request.log.error({ err: error }, 'an audit event was not written');
        const work = () =>
          recordChange(
            call,
            { operation: name, input, identity },
            async () => handle(call, checkEcho ? await checkEcho(call, input) : input),
            onLost,
          );
        const onHangUp = (drop: () => void) => void reply.raw.once('close', drop);
        const response = await parts.limits.run(name, accountId, work, onHangUp);
        if (!(response instanceof JsonText)) return response;
        const chunks = [...response.chunks()];
        return reply
          .type('application/json; charset=utf-8')
          .send(chunks.length === 1 ? chunks[0] : Readable.from(chunks));
      },
    });
  }
}

/** The project that a valid request names. */
function projectOf(input: unknown): string | undefined {
  const { project_id } = (input ?? {}) as { project_id?: unknown };
  return typeof project_id === 'string' ? project_id : undefined;
}

/** Adds the path's parameters to the input. Throws if the input has another value for one of them. */
function withPathParameters(sent: unknown, parameters: unknown): unknown {
  const named = Object.entries(parameters as Record<string, string>);
  if (named.length === 0 || typeof sent !== 'object' || sent === null) return sent;
  const conflict = named.find(
    ([name, value]) => Object.hasOwn(sent, name) && (sent as Record<string, unknown>)[name] !== value,
  );
  if (conflict) {
    const message = `must be ${conflict[1]}, the value in the path, or absent`;
    throw new ApiError('INVALID_REQUEST', `${conflict[0]} ${message}.`, {
      errors: [{ path: conflict[0], message }],
    });
  }
  return { ...sent, ...Object.fromEntries(named) };
}

function serveHealth(app: FastifyInstance, readiness: AppParts['readiness']): void {
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const found = await readiness();
    return reply.code(found.status === 'ready' ? 200 : 503).send(found);
  });
}

/** Keeps a well-formed ID of the caller, so that callers find their ID in our logs. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
