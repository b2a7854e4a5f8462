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
  type FastifyRequest,
  LogController,
} from 'fastify';
import { JsonText } from '../kernel/lib/json.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';
import { invalidField } from './api-error.ts';
import { acceptJson, openBodyBudget } from './body/accept-json.ts';
import { bodyRulesOf } from './body/body-rules.ts';
import { drainUnreadBodies } from './body/drain-body.ts';
import type { CallLimits } from './call-limits.ts';
import type { CallFacts } from './context.ts';
import { serveDocs } from './docs.ts';
import { compileEchoCheck } from './echoed-fields.ts';
import { answerErrors, answerFrameworkError, answerMalformed, securityHeaders } from './errors.ts';
import type { Handler, Handlers } from './handlers.ts';
import { type Called, callerOf, type Identify, type Identity } from './identity.ts';
import { requestSeconds, requests } from './metrics.ts';
import type { FrontDoor, HttpPart, ProcessContext } from './part.ts';
import { compileRequest } from './validate.ts';

interface AppParts {
  readonly handlers: Handlers;
  readonly work: ProcessContext;
  readonly limits: CallLimits;
  /** Of all modules. The last one that identifies callers rejects those without credentials. */
  readonly parts: readonly HttpPart[];
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
    const { url: route = 'none' } = request.routeOptions;
    parts.metrics.add(requests, { route, status: reply.statusCode });
    parts.metrics.observe(requestSeconds, { route }, reply.elapsedTime / 1000);
    for (const { answered } of parts.parts) answered?.(request, reply);
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
  const registered = operationNames.filter((name) => parts.handlers[name] !== undefined);
  serveDocs(app, buildOpenApi(registered));
  serveHealth(app, parts.readiness);
  const bodies = openBodyBudget();
  const identifies = parts.parts.flatMap(({ identify: own }) => own ?? []);
  const door: FrontDoor = {
    acceptJson: (scope) => acceptJson(scope, bodies),
    identify: (request, called) => identify(identifies, request, called),
    limits: parts.limits,
    work: parts.work,
  };
  for (const { surface } of parts.parts) surface?.(app, door);
  void app.register(async (scope) => {
    door.acceptJson(scope);
    for (const name of registered) serveOperation(scope, name, parts, door);
  });
  return app;
}

/** A call with a key is never taken for one of the person in the same browser: the part for sessions leaves it to the one for keys. */
async function identify(
  identifies: readonly Identify[],
  request: FastifyRequest,
  called: Called,
): Promise<Identity> {
  for (const identifyBy of identifies) {
    const identity = await identifyBy(request, called);
    if (identity) return identity;
  }
  throw new Error('no module identifies callers');
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

function serveOperation(app: FastifyInstance, name: OperationName, parts: AppParts, door: FrontDoor): void {
  const [method, path] = endpoints[name];
  const parse = compileRequest(name) as (input: unknown, bytes: number) => never;
  const handle = parts.handlers[name] as unknown as Handler<OperationName>;
  const checkEcho = compileEchoCheck(name, parts.handlers);
  const operation: Operation = operations[name];
  const body = bodyRulesOf(name);
  const arounds = parts.parts.flatMap(({ around }) => around ?? []);
  const urls = [path, ...(operation.aliases ?? []).map((alias) => alias.replaceAll(/\{(\w+)\}/g, ':$1'))];
  for (const url of urls) {
    app.route({
      method,
      url,
      config: { body, isRecommendation: operation.concept === 'Recommendation' },
      // Authenticates before the body is read, so that unknown callers cannot make us parse megabytes.
      onRequest: async (request) => {
        request.identity = await door.identify(request, { path, operation: name });
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
        const handled = async () => handle(call, checkEcho ? await checkEcho(call, input) : input);
        const work = arounds.reduce(
          (run, around) => () => around(call, { operation: name, input, identity }, run, onLost),
          handled,
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
  if (conflict) throw invalidField(conflict[0], `must be ${conflict[1]}, the value in the path, or absent`);
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
