import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Config, ConfigError, type Role } from '../config.ts';
import { listenForScrapes } from '../http/scrapes.ts';
import { reapStaleJobs } from '../jobs/engine/settle-attempt.ts';
import { Closers } from '../kernel/lib/closers.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { createLog, type Log } from '../kernel/observability/log.ts';
import { createMetrics, type Metrics } from '../kernel/observability/metrics.ts';
import { isUnavailable, openDatabase } from '../kernel/postgres/pool.ts';
import { openQueue } from '../kernel/postgres/queue.ts';
import { SessionGroup } from '../kernel/postgres/sessions.ts';
import { openRedis, type Redis } from '../kernel/redis/client.ts';
import type { Services } from '../services.ts';
import { handleSignals } from './early-signals.ts';
import { checkSchema } from './migrate.ts';
import {
  accountContents,
  attributed,
  hasUserIdFields,
  hooks,
  jobDefinition,
  metricDefinitions,
  modules,
} from './modules.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { openReads, shareConnections } from './reads.ts';

/** The resources that every long-running role uses. */
export interface Runtime extends Services {
  /** How many connections of `db` calls may use. */
  readonly callConnections: number;
  readonly readiness: () => Promise<Readiness>;
}

/** Runs a role until a signal, then closes its resources in reverse order, each within its limit. A second signal ends it at once. */
export async function runRole(
  config: Config,
  role: Role,
  start: (runtime: Runtime) => Promise<unknown>,
): Promise<void> {
  const log = createLog(config.logLevel, role);
  const closers = new Closers((closer, error) => log.error({ err: error, closer }, 'did not close cleanly'));
  const stop = new AbortController();
  const stopped = waitForSignal(log, stop);
  try {
    await checkSchemaOf(config, role);
    const runtime = await openRuntime(config, log, closers, stop.signal, role);
    await start(runtime);
    for (const { started } of modules) if (started) await (await started())(runtime);
    await stopped;
  } finally {
    stop.abort();
    await closers.closeAll();
    log.info('stopped');
  }
}

/** A serving process starts without the primary if it can read from the replica. */
async function checkSchemaOf({ databaseUrl, databaseReadUrl }: Config, role: Role): Promise<void> {
  try {
    await checkSchema(databaseUrl);
  } catch (error) {
    if (role !== 'serving' || databaseReadUrl === undefined || !isUnavailable(error)) throw error;
    await checkSchema(databaseReadUrl);
  }
}

/** Opens the resources of a role and adds a closer for each. */
export async function openRuntime(
  config: Config,
  log: Log,
  closers: Closers,
  stopping: AbortSignal,
  role: Role,
): Promise<Runtime> {
  const shares = shareConnections(config.databasePoolSize, role);
  const group = new SessionGroup();
  const open = (poolSize: number, plansOnce = false) =>
    openDatabase({
      group,
      url: config.databaseUrl,
      poolSize,
      plansOnce,
      // Recommendations only read.
      acceptsReadOnly: role === 'serving',
      onIdleError: (error) => log.warn({ err: error }, 'lost an idle database connection'),
    });
  const controlDb = open(shares.control);
  let canRead = () => false;
  const readiness = createReadiness({ role, db: controlDb, canRead: () => canRead(), log }, stopping);
  const metrics = await openMetrics(config, log, closers, readiness);
  closers.add('control connections', 5000, () => controlDb.close());
  const db = open(shares.work, role === 'serving');
  closers.add('database', 5000, () => db.close());
  const servingDb = role === 'all-in-one' ? open(shares.serving, true) : db;
  if (servingDb !== db) closers.add('serving connections', 5000, () => servingDb.close());
  const primary = { control: controlDb, serving: servingDb };
  const reads = await openReads({ config, role, log, metrics, closers }, shares.serving, primary);
  canRead = () => reads.servers?.isUp('replica') ?? false;
  const queueDb = role === 'serving' ? reads.current : db;
  const queue = await openQueue(queueDb, (error) =>
    log.warn({ err: error }, 'the job queue reported an error'),
  );
  closers.add('queue', 5000, () => queue.close());
  const { retrySeconds, heartbeatSeconds, lostSeconds } = config.jobs;
  const reapOptions = { everyMs: heartbeatSeconds * 1000, lostMs: lostSeconds * 1000 };
  // Every role does this, so that a job does not stay RUNNING when the last worker dies.
  const reaper = reapStaleJobs({ db, queue, hooks, retrySeconds }, reapOptions, log, stopping);
  closers.add('stale job reaper', 5000, () => reaper);
  const redis = openSharedRedis(config, log, closers);
  const { objects } = config;
  if (!objects)
    throw new ConfigError(
      'OBJECTS_URL is not set. Set it to the same value for all processes, for example OBJECTS_URL=file:///var/lib/tastegraph/objects',
    );
  const store = await openObjectStore(objects);
  closers.add('object store', 5000, async () => store[Symbol.asyncDispose]());
  const processId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  return {
    config,
    role,
    processId,
    log,
    metrics,
    db,
    servingDb,
    servingConnections: shares.serving,
    controlDb,
    reads,
    callConnections: shares.calls,
    readiness,
    queue,
    redis,
    store,
    objects,
    hooks,
    attributed,
    accountContents,
    jobDefinition,
    hasUserIdFields,
    closers,
    stopping,
  };
}

/** Opened first and closed last, so that metrics are available while the rest opens and closes. */
async function openMetrics(
  { host, metricsPort }: Config,
  log: Log,
  closers: Closers,
  readiness: () => Promise<Readiness>,
): Promise<Metrics> {
  const metrics = createMetrics(metricDefinitions);
  if (metricsPort === undefined) return metrics;
  const listener = await listenForScrapes({ metrics, readiness }, { host, port: metricsPort });
  closers.add('metrics', 2000, async () => listener[Symbol.asyncDispose]());
  log.info({ address: listener.address }, 'serving metrics');
  return metrics;
}

function openSharedRedis(config: Config, log: Log, closers: Closers): Redis | undefined {
  if (config.redisUrl === undefined) {
    log.warn('REDIS_URL is not set: rate limits apply to this process only');
    return undefined;
  }
  const redis = openRedis(
    config.redisUrl,
    throttle(10_000, (error) => log.warn({ err: error }, 'Redis is unavailable')),
  );
  closers.add('redis', 2000, async () => redis.destroy());
  return redis;
}

async function waitForSignal(log: Log, stop: AbortController): Promise<void> {
  return new Promise((resolve) => {
    handleSignals((signal) => {
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal }, 'stopping');
      stop.abort();
      resolve();
    });
  });
}

/** Calls `act` at most once per `everyMs`, because a lost connection retries all the time. */
function throttle(everyMs: number, act: (error: Error) => void): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (Date.now() - last < everyMs) return;
    last = Date.now();
    act(error);
  };
}
