import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ObjectsSettings } from './storage/objects/open.ts';

/**
 * The one place that reads the environment. A setting that is missing or wrong is said here, at start, by its
 * name; nothing else in the server looks at the environment or has a default of its own.
 */
export interface Config {
  readonly databaseUrl: string;
  /** Connections to PostgreSQL a process may hold. */
  readonly databasePoolSize: number;
  /** Absent: each process keeps the limits by itself, which is right as long as there is one. */
  readonly redisUrl: string | undefined;
  /** Where models and results are kept; only what talks to the database alone does without. */
  readonly objects: ObjectsSettings | undefined;
  readonly host: string;
  readonly port: number;
  /** Where metrics are read, apart from the API, which the world may reach; absent: nowhere. */
  readonly metricsPort: number | undefined;
  /** Told to stop, a process goes on taking calls for so long while /readyz says no: until balancers have looked. */
  readonly drainSeconds: number;
  /** Where the recommendation call is reached from outside; part of every project's serving_uri. */
  readonly servingBaseUrl: string;
  /** The cell's name: part of every API key made here. */
  readonly cell: string;
  readonly logLevel: string;
  /** Proxies in front whose X-Forwarded-For is believed, as Fastify takes it; none by default. */
  readonly trustProxy: string | undefined;
  readonly jobs: JobSettings;
  readonly serving: ServingSettings;
}

interface ServingSettings {
  /** For a whole recommendation call. */
  readonly deadlineMs: number;
  /** For models and items in memory: what was not asked for the longest is let go. */
  readonly memoryBytes: number;
}

interface JobSettings {
  /** Jobs that a worker runs at once. A training uses all threads by itself, so more than one makes each slower. */
  readonly places: number;
  /** Threads that one training computes on. */
  readonly threads: number;
  /** Before the first retry; the second and third wait 4 and 16 times as long. */
  readonly retrySeconds: number;
  readonly maxHours: number;
  /** How often a worker shows that it lives. */
  readonly heartbeatSeconds: number;
  /** After so long without, its job is given to another. */
  readonly lostSeconds: number;
  /** A worker whose main thread stands still for so long ends itself. */
  readonly hungSeconds: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment = process.env): Config {
  const host = environment['HOST'] || '127.0.0.1';
  const port = integer(environment, 'PORT', 8080, 0, 65_535);
  const baseUrl = (environment['BASE_URL'] || `http://${host}:${port}`).replace(/\/+$/, '');
  return {
    databaseUrl: required(environment, 'DATABASE_URL', 'postgres://user:password@host:5432/database'),
    // PostgreSQL works on about two statements a core at once; 16 keep an 8-core server busy from one process.
    databasePoolSize: integer(environment, 'DATABASE_POOL_SIZE', 16, 1, 500),
    redisUrl: environment['REDIS_URL'] || undefined,
    host,
    port,
    metricsPort: environment['METRICS_PORT'] ? integer(environment, 'METRICS_PORT', 0, 0, 65_535) : undefined,
    drainSeconds: amount(environment, 'DRAIN_SECONDS', 0, 0, 300),
    servingBaseUrl: (environment['SERVING_BASE_URL'] || baseUrl).replace(/\/+$/, ''),
    cell: cellName(environment['CELL'] || 'main'),
    logLevel: oneOf(environment, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    trustProxy: proxies(environment['TRUST_PROXY']),
    objects: objectsSettings(environment, baseUrl),
    jobs: jobSettings(environment),
    serving: {
      deadlineMs: integer(environment, 'SERVING_DEADLINE_MS', 500, 10, 60_000),
      // Half of it: the rest is for calls under way, and for what else the machine does.
      memoryBytes:
        integer(environment, 'SERVING_MEMORY_MB', Math.floor(totalmem() / 2 ** 21), 16, 1e7) * 2 ** 20,
    },
  };
}

function jobSettings(environment: Environment): JobSettings {
  const heartbeatSeconds = amount(environment, 'JOB_HEARTBEAT_SECONDS', 3, 0.05, 60);
  return {
    places: integer(environment, 'JOB_PLACES', 1, 1, 64),
    threads: integer(environment, 'TRAINING_THREADS', availableParallelism(), 1, 256),
    // A restart of a store or a database is over by the second retry, an outage of minutes by the third.
    retrySeconds: amount(environment, 'JOB_RETRY_SECONDS', 10, 0, 3600),
    maxHours: amount(environment, 'JOB_MAX_HOURS', 24, 0.0001, 24 * 7),
    heartbeatSeconds,
    // Five beats: one may be lost to a connection that broke, and the next one waits for a new one.
    lostSeconds: heartbeatSeconds * 5,
    // The main thread only waits and writes rows: standing still for so long, it never goes on.
    hungSeconds: amount(environment, 'JOB_HUNG_SECONDS', 20, 1, 3600),
  };
}

/** `file:///folder` for one machine; `s3://bucket?region=…&endpoint=…&public_endpoint=…&path_style=true` for many. */
function objectsSettings(environment: Environment, baseUrl: string): ObjectsSettings | undefined {
  const text = environment['OBJECTS_URL'];
  if (!text) return undefined;
  const url = URL.parse(text);
  // A part of 16 MiB takes this long at 4.5 Mbit/s; a disk behind a network may stumble for seconds.
  const stepMs = amount(environment, 'OBJECTS_TIMEOUT_SECONDS', 30, 0.1, 600) * 1000;
  if (url?.protocol === 'file:' && url.host === '' && url.pathname.length > 1)
    return { kind: 'folder', root: fileURLToPath(url), downloadsUrl: `${baseUrl}/downloads`, stepMs };
  if (url?.protocol !== 's3:' || url.host === '')
    throw new ConfigError(
      'OBJECTS_URL must be file:///folder, or s3://bucket?region=…&endpoint=…&path_style=true (keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).',
    );
  const endpoint = url.searchParams.get('endpoint');
  const publicEndpoint = url.searchParams.get('public_endpoint');
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  return {
    kind: 's3',
    bucket: url.host,
    region: url.searchParams.get('region') ?? 'us-east-1',
    pathStyle: url.searchParams.get('path_style') === 'true',
    stepMs,
    ...(endpoint ? { endpoint } : {}),
    ...(publicEndpoint ? { publicEndpoint } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  };
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function required(environment: Environment, name: string, example: string): string {
  const value = environment[name];
  if (!value) throw new ConfigError(`${name} is not set. Set it, for example ${name}=${example}`);
  return value;
}

function integer(
  environment: Environment,
  name: string,
  byDefault: number,
  min: number,
  max: number,
): number {
  const text = environment[name];
  if (!text) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function amount(environment: Environment, name: string, byDefault: number, min: number, max: number): number {
  const text = environment[name];
  if (!text) return byDefault;
  const value = Number(text);
  if (!Number.isFinite(value) || value < min || value > max)
    throw new ConfigError(`${name} must be a number from ${min} to ${max}.`);
  return value;
}

function oneOf(
  environment: Environment,
  name: string,
  byDefault: string,
  allowed: readonly string[],
): string {
  const value = environment[name] || byDefault;
  if (!allowed.includes(value)) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}.`);
  return value;
}

function cellName(value: string): string {
  if (!/^[a-z0-9]{1,16}$/.test(value)) {
    throw new ConfigError('CELL must be 1 to 16 lower-case letters and digits.');
  }
  return value;
}

/** Names that Fastify knows for networks that only neighbours can send from. */
const networkNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function proxies(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!text.split(',').every((part) => isNetwork(part.trim())))
    throw new ConfigError(
      'TRUST_PROXY must be addresses or networks with commas between them, for example 127.0.0.1,10.0.0.0/8.',
    );
  return text;
}

function isNetwork(text: string): boolean {
  if (networkNames.has(text)) return true;
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0 || prefix === undefined) return version !== 0;
  const most = version === 4 ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= most;
}
