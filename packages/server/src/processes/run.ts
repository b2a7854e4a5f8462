import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { listenForScrapes } from '../http/scrapes.ts';
import { giveUpLost } from '../jobs/engine/give-up-lost.ts';
import { Closers } from '../lib/closers.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { checkSchema } from '../storage/postgres/migrate.ts';
import { type Database, openDatabase } from '../storage/postgres/pool.ts';
import { type JobQueue, openQueue } from '../storage/postgres/queue.ts';
import { openRedis, type Redis } from '../storage/redis/client.ts';

/** What every long-running role is made of. */
export interface Runtime {
  readonly config: Config;
  /** Of this process alone, also after it was started again. */
  readonly processId: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly db: Database;
  readonly queue: JobQueue;
  readonly redis: Redis | undefined;
  readonly closers: Closers;
  /** Aborted first when the process is told to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Runs a role until SIGTERM or SIGINT, then closes what it opened, in reverse, each within its time. A second
 * signal ends the process at once.
 */
export async function runRole(
  config: Config,
  name: string,
  start: (runtime: Runtime) => Promise<unknown>,
): Promise<void> {
  const log = createLog(config.logLevel, name);
  const closers = new Closers((closer, error) => log.error({ err: error, closer }, 'not closed in order'));
  const stop = new AbortController();
  const stopped = untilSignal(log, stop);
  try {
    await checkSchema(config.databaseUrl);
    const runtime = await openRuntime(config, log, closers, stop.signal);
    await start(runtime);
    await stopped;
  } finally {
    stop.abort();
    await closers.closeAll();
    log.info('stopped');
  }
}

/** What every role needs, open, with a closer for each. */
export async function openRuntime(
  config: Config,
  log: Log,
  closers: Closers,
  stopping: AbortSignal,
): Promise<Runtime> {
  const metrics = await openMetrics(config, log, closers);
  const db = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  });
  closers.add('database', 5000, () => db.close());
  const queue = await openQueue(db, (error) => log.warn({ err: error }, 'the job queue is not well'));
  closers.add('queue', 5000, () => queue.close());
  const { retrySeconds, heartbeatSeconds, lostSeconds } = config.jobs;
  const watching = { everyMs: heartbeatSeconds * 1000, lostMs: lostSeconds * 1000 };
  // Every process does, so that a job whose last worker died is not RUNNING for ever.
  const watch = giveUpLost({ db, queue, retrySeconds }, watching, log, stopping);
  closers.add('watching jobs', 5000, () => watch);
  const redis = openSharedRedis(config, log, closers);
  const processId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  return { config, processId, log, metrics, db, queue, redis, closers, stopping };
}

/** First of all, and so closed last: what goes wrong while the rest opens or closes can be seen. */
async function openMetrics({ host, metricsPort }: Config, log: Log, closers: Closers): Promise<Metrics> {
  const metrics = createMetrics();
  if (metricsPort === undefined) return metrics;
  const listener = await listenForScrapes(metrics, { host, port: metricsPort });
  closers.add('metrics', 2000, async () => listener[Symbol.asyncDispose]());
  log.info({ address: listener.address }, 'metrics can be read');
  return metrics;
}

function openSharedRedis(config: Config, log: Log, closers: Closers): Redis | undefined {
  if (config.redisUrl === undefined) {
    log.warn('REDIS_URL is not set: limits are kept in this process alone');
    return undefined;
  }
  const redis = openRedis(
    config.redisUrl,
    throttled(10_000, (error) => log.warn({ err: error }, 'Redis is away')),
  );
  closers.add('redis', 2000, async () => redis.destroy());
  return redis;
}

async function untilSignal(log: Log, stop: AbortController): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) process.exit(1);
        log.info({ signal }, 'stopping');
        stop.abort();
        resolve();
      });
    }
  });
}

/** Passes on the first call, and then at most one in so many milliseconds: a lost connection retries all the time. */
function throttled(everyMs: number, act: (error: Error) => void): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (Date.now() - last < everyMs) return;
    last = Date.now();
    act(error);
  };
}
