import { randomBytes } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { tryDeployments } from '../deployments/trials/try-deployments.ts';
import { Experiments } from '../experiments/served.ts';
import { createFilterCache } from '../filters/compile-filter.ts';
import { ApiError } from '../http/api-error.ts';
import { PageTokens } from '../http/page-tokens.ts';
import { itemSearchHandlers } from '../item-search/api.ts';
import { createLimiter } from '../kernel/lib/limiter.ts';
import { requireSecret } from '../kernel/postgres/secrets.ts';
import { createTokenBucket } from '../kernel/redis/token-bucket.ts';
import { ModelCache } from '../models/model-cache.ts';
import { preloadModels } from '../models/preload-models.ts';
import { loggedAnswer } from '../outcomes/log/decision.ts';
import { DecisionLog } from '../outcomes/log/decision-log.ts';
import { createIdSigner, idSecretName } from '../outcomes/log/signed-ids.ts';
import { readScenarios } from '../scenarios/rows.ts';
import { Scenarios } from '../scenarios/served.ts';
import { countAnswers, questionHandlers } from '../serving/call/questions.ts';
import { type ServerContext } from '../serving/call/serve.ts';
import { ItemMirrors } from '../serving/catalogue/item-mirrors.ts';
import { TakenItems } from '../serving/catalogue/taken-items.ts';
import { createDegradationReport } from '../serving/degradation.ts';
import {
  limiterAlone,
  limiterLeftAlone,
  modelLoads,
  modelMemory,
  modelsInMemory,
  refusedCalls,
} from '../serving/metrics.ts';
import type { ServedDeployment } from '../serving/rows/serving-reads.ts';
import { readUserStates } from '../serving/rows/user-states.ts';
import { SharedCursors } from '../serving/state/cursors.ts';
import { createLiveReads } from '../serving/state/live-reads.ts';
import { Projects } from '../serving/state/projects.ts';
import { Trends } from '../trends/trends.ts';
import { startHttp } from './http.ts';
import type { Runtime } from './run.ts';

/** Callers repeat the same few filters. A compiled filter takes some kilobytes, and a long one counts as several. */
const maxCachedFilters = 1000;
/** Calls in flight per connection: a call mostly waits for PostgreSQL, so this keeps every connection busy. */
const callsPerConnection = 4;
/** About a second's worth of calls may wait, each for at most a fifth of its deadline. Further calls are refused at once. */
const waitingPerCall = 4;
const waitShare = 0.2;
/** One project's share of the calls in flight: with more, others would have to wait; with less, it could not use the process. */
const projectShare = 3 / 4;

/** A call has tens of milliseconds in total, so it cannot wait longer for Redis. */
const limiterTimeoutMs = 20;
/** A call that waits for Redis takes nearly a millisecond longer, if it comes alone. */
const limiterReserveMs = 100;

/** Mirrors' share of the memory. They serve only calls with a selective filter; models serve all calls. */
const mirrorsShare = 0.25;
/** The share for what is known of projects besides their models: where their data is, how calls share reads, the last deployment and qps. */
const projectsShare = 0.02;
const bytesPerProject = 8000;
/** On a machine with little memory, projects take more than their share. */
const minProjects = 1000;
/** The share for scenarios. */
const scenariosShare = 0.005;
const minScenarioBytes = 4e6;
/** The share for counts of events, of at most 10 MB per dataset. */
const trendsShare = 0.02;
/** Unlike models, mirrors are on V8's heap, where calls also need room. */
const mirrorsHeapShare = 0.5;

/** Opens the handlers of recommendation calls and preloads the deployed models, the latest first. */
export async function openServing(runtime: Runtime) {
  const { config, processId: serverId, log, metrics, closers, stopping } = runtime;
  const { servingDb: db, redis, store } = runtime;
  const { serving: readDb, current: currentDb } = runtime.reads;
  const { serving, databasePoolSize } = config;
  const mirrorBytes = Math.min(
    serving.memoryBytes * mirrorsShare,
    getHeapStatistics().heap_size_limit * mirrorsHeapShare,
  );
  const trendBytes = serving.memoryBytes * trendsShare;
  const maxProjects = Math.max(
    minProjects,
    Math.floor((serving.memoryBytes * projectsShare) / bytesPerProject),
  );
  const scenarioBytes = serving.memoryBytes * scenariosShare;
  const modelBytes = serving.memoryBytes * (1 - projectsShare) - mirrorBytes - trendBytes - scenarioBytes;
  const models = new ModelCache(store, modelBytes);
  metrics.watch(modelsInMemory, () => models.count);
  metrics.watch(modelMemory, () => models.bytes);
  metrics.watch(modelLoads, () => models.loads);
  await preloadModels({ db: readDb, models, log, stopping });

  const trials = tryDeployments({ db, models, serverId, log, stopping });
  closers.add('deployment trials', 5000, () => trials);

  const decisions = config.jobs.decisionLogDays > 0 ? new DecisionLog({ store, log, metrics }) : undefined;
  // After the last call and before the object store closes.
  if (decisions) closers.add('decision log', 5000, () => decisions.close());

  const filters = createFilterCache(maxCachedFilters);
  const concurrency = databasePoolSize * callsPerConnection;
  // A replica may not have the deployment or the scenario yet.
  const reads = createLiveReads(
    readDb,
    runtime.servingConnections,
    async (from, asked) => {
      const states = await readUserStates(from, asked);
      const missing = currentDb === readDb ? [] : asked.filter((_, place) => !states[place]);
      if (missing.length === 0) return states;
      const current = await readUserStates(currentDb, missing);
      return states.map((state) => state ?? current.shift());
    },
    async (from, project, names) => {
      const found = await readScenarios(from, project, names);
      if (found.length === names.length || currentDb === readDb) return found;
      const known = new Set(found.map(({ name }) => name));
      const missing = names.filter((name) => !known.has(name));
      return [...found, ...(await readScenarios(currentDb, project, missing))];
    },
  );
  const cursors = new SharedCursors(currentDb);
  // So that the first page of a list need not wait for it.
  await cursors.get();
  const server: ServerContext = {
    projects: new Projects(readDb, maxProjects, currentDb),
    settings: new Scenarios(reads, Math.max(minScenarioBytes, scenarioBytes)),
    variants: new Experiments(reads),
    bucket: createTokenBucket(redis, {
      name: 'qps',
      seconds: 1,
      timeoutMs: limiterTimeoutMs,
      reserveMs: limiterReserveMs,
      maxBuckets: maxProjects,
      onFallback: (isFallback) => {
        metrics.set(limiterAlone, isFallback ? 1 : 0);
        if (isFallback) metrics.add(limiterLeftAlone, {});
      },
    }),
    limiter: createLimiter({
      concurrency,
      maxPerKey: Math.max(1, Math.floor(concurrency * projectShare)),
      maxWaiting: concurrency * waitingPerCall,
      waitMs: serving.deadlineMs * waitShare,
      refuse: () => {
        metrics.add(refusedCalls, { reason: 'overload' });
        // Retry-After has whole seconds. Calls in flight end sooner, within their deadline.
        return new ApiError('UNAVAILABLE', 'Too many calls are in flight. Try again shortly.', {
          retryAfterSeconds: 1,
        });
      },
    }),
    metrics,
    countAnswer: countAnswers(metrics),
    newAnswerId: createIdSigner(await requireSecret(currentDb, idSecretName)),
    log: decisions && { add: (call) => decisions.add(loggedAnswer(call)) },
    reportDegradation: createDegradationReport(log, metrics),
    serving: {
      reads,
      models,
      mirrors: new ItemMirrors(readDb, mirrorBytes, (error) =>
        log.warn(
          { err: error },
          'failed to build an item mirror: calls read the items from the database instead',
        ),
      ),
      cursors,
      trends: new Trends(readDb, trendBytes),
      takenItems: new TakenItems(readDb),
      compileFilter: (text, accountId) => filters.get(accountId, text),
      deadlineMs: serving.deadlineMs,
      lastKnown: new LRUCache<string, ServedDeployment>({ max: maxProjects }),
    },
  };
  return { ...questionHandlers(server), ...itemSearchHandlers(server) };
}

export async function startServing(runtime: Runtime): Promise<string> {
  // It has no lists, so it needs no secret for their pages, which it could not create on a standby.
  const pageTokens = new PageTokens(randomBytes(32));
  return startHttp(runtime, await openServing(runtime), pageTokens);
}
