import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { memoryLimit } from './kernel/lib/memory.ts';
import type { ObjectsSettings } from './kernel/objects/open.ts';
import {
  annotations,
  formats,
  isLoopback,
  requirementOf,
  type SettingName,
  type Settings,
  settingNames,
  settingSchemas,
  settingsSchema,
} from './settings.ts';

export type Role = 'api' | 'serving' | 'worker' | 'all-in-one';

/**
 * The only place that reads the environment. All missing and invalid settings are reported here, at the start and by name;
 * nothing else in the server reads the environment or has its own defaults. `settings.ts` describes each setting.
 */
export type Config = ReturnType<typeof readConfig>;

type Environment = Readonly<Record<string, string | undefined>>;

interface ReadOptions {
  /** The role that the settings are for; `migrate` and `admin` have none, and need less. */
  readonly role?: Role | undefined;
  /** What the process may use of its machine. */
  readonly machine?: { readonly memoryBytes: number; readonly threads: number };
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const hourMs = 3_600_000;
/** More would leave too few connections for others, and PostgreSQL rarely has more cores to spare. */
const maxDefaultReaders = 4;
/** The share of the memory for serving. The rest is for calls in flight and for whatever else runs on the machine. */
const servingMemoryShare = 0.5;
/** One heartbeat may be lost with a broken connection, and the next one waits for a new connection. */
const lostHeartbeats = 5;

export function readConfig(environment: Environment = process.env, options: ReadOptions = {}) {
  const { role, machine = { memoryBytes: memoryLimit(), threads: availableParallelism() } } = options;
  const given = givenSettings(environment);
  const problems = [...findProblems(given), ...findMissing(given, role)];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const settings = given as Settings;
  // Absent: each process enforces the limits by itself, which is right as long as there is only one.
  const redisUrl: string | undefined = settings.REDIS_URL;
  const threads = settings.TRAINING_THREADS ?? machine.threads;
  const baseUrl = trimSlashes(settings.BASE_URL ?? `http://${settings.HOST}:${settings.PORT}`);
  return {
    databaseUrl: settings.DATABASE_URL,
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    /** Absent: everything is read from `databaseUrl`. */
    databaseReadUrl: settings.DATABASE_READ_URL,
    databaseReadLagMs: settings.DATABASE_READ_LAG_MS,
    redisUrl,
    baseUrl,
    host: settings.HOST,
    port: settings.PORT,
    metricsPort: settings.METRICS_PORT,
    drainSeconds: settings.DRAIN_SECONDS,
    servingBaseUrl: trimSlashes(settings.SERVING_BASE_URL ?? baseUrl),
    cell: settings.CELL,
    logLevel: settings.LOG_LEVEL,
    /** Proxies whose X-Forwarded-For is trusted, in Fastify's notation; absent: none. */
    trustProxy: settings.TRUST_PROXY === 'none' ? undefined : settings.TRUST_PROXY,
    /** Where models and results are stored. Present for every role. */
    objects: objectsSettings(settings),
    jobs: {
      concurrency: settings.JOB_CONCURRENCY,
      threads,
      readers: settings.TRAINING_READERS ?? Math.min(maxDefaultReaders, threads),
      windowBytes: settings.TRAINING_WINDOW_MB * 2 ** 20,
      retrySeconds: settings.JOB_RETRY_SECONDS,
      maxHours: settings.JOB_MAX_HOURS,
      resultDays: settings.RESULT_RETENTION_DAYS,
      modelDays: settings.MODEL_RETENTION_DAYS,
      jobDays: settings.JOB_RETENTION_DAYS,
      /** With 0, answers are not logged. */
      decisionLogDays: settings.DECISION_LOG_DAYS,
      outcomesSeconds: settings.OUTCOMES_SECONDS,
      recommendingFileUsers: settings.RECOMMENDING_FILE_USERS,
      imports: {
        concurrency: settings.IMPORT_CONCURRENCY,
        memoryBytes: importMemory(settings.IMPORT_MEMORY_MB, machine.memoryBytes),
        cpuSeconds: settings.IMPORT_CPU_SECONDS,
        maxBytes: settings.IMPORT_MAX_GB * 1e9,
      },
      heartbeatSeconds: settings.JOB_HEARTBEAT_SECONDS,
      /** Without a heartbeat for this long, a worker's jobs move to others. */
      lostSeconds: settings.JOB_HEARTBEAT_SECONDS * lostHeartbeats,
      hungSeconds: settings.JOB_HUNG_SECONDS,
    },
    console: {
      idleMs: settings.SESSION_IDLE_HOURS * hourMs,
      maxMs: settings.SESSION_MAX_HOURS * hourMs,
      auditDays: settings.AUDIT_RETENTION_DAYS,
      /** Absent: no first person is created. */
      ownerEmail: settings.OWNER_EMAIL === 'none' ? undefined : settings.OWNER_EMAIL,
      /** Absent: people sign in with passwords and links only. */
      oidc: oidcSettings(settings),
    },
    webhooks: { allowsPrivateAddresses: settings.WEBHOOK_PRIVATE_ADDRESSES === 'allow' },
    serving: {
      deadlineMs: settings.SERVING_DEADLINE_MS,
      memoryBytes:
        settings.SERVING_MEMORY_MB === undefined
          ? Math.floor(machine.memoryBytes * servingMemoryShare)
          : settings.SERVING_MEMORY_MB * 2 ** 20,
    },
  };
}

const mebibyte = 2 ** 20;
/** Enough for a row group of a million events, and little enough to leave a worker of 1 GiB alive. */
const importMegabytes = { least: 384, most: 2048 };

function importMemory(megabytes: number | undefined, machineBytes: number): number {
  const share = Math.floor(machineBytes / 4 / mebibyte);
  const { least, most } = importMegabytes;
  return (megabytes ?? Math.max(least, Math.min(share, most))) * mebibyte;
}

/** The variables that are set. Empty means not set, as in compose files. */
function givenSettings(environment: Environment) {
  const given = settingNames.filter((name) => environment[name]);
  return Object.fromEntries(given.map((name) => [name, environment[name]])) as Partial<
    Record<SettingName, unknown>
  >;
}

const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, formats });
ajv.addVocabulary([...annotations]);
const validate = ajv.compile(settingsSchema);

/** Converts texts to numbers and adds defaults, in place. Messages never contain values, which may be secrets. */
function findProblems(given: object): string[] {
  if (validate(given)) return [];
  const problems = (validate.errors ?? []).map(({ keyword, params, instancePath }) => {
    if (keyword === 'required')
      return isMissing((params as { missingProperty: SettingName }).missingProperty);
    const name = instancePath.slice(1) as SettingName;
    return `${name} must be ${requirementOf(settingSchemas[name])}.`;
  });
  // A value can violate several keywords, which all give the same message here.
  return [...new Set(problems)];
}

function isMissing(name: SettingName): string {
  const [example] = settingSchemas[name].examples ?? [];
  return `${name} is not set. Set it, for example ${name}=${example}`;
}

/** Reports the settings that the role requires but that are not set. */
function findMissing(given: Partial<Record<SettingName, unknown>>, role: Role | undefined): string[] {
  if (role === undefined) return [];
  const problems = given.OBJECTS_URL === undefined ? [isMissing('OBJECTS_URL')] : [];
  const oidc = (['OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const).filter((name) => given[name] === undefined);
  // Neither is needed, but each requires the other.
  if (oidc.length === 1) problems.push(...oidc.map(isMissing));
  const host = String(given.HOST);
  // Behind a proxy that is not configured, all callers would share the limits of one address. The operator must choose.
  if (role !== 'worker' && given.TRUST_PROXY === undefined && !isLoopback(host))
    problems.push(
      `TRUST_PROXY is not set, and HOST=${host} can be reached from other machines. Set it to the addresses of the proxies in front, for example TRUST_PROXY=10.0.0.0/8, or to TRUST_PROXY=none if callers connect directly.`,
    );
  // A project keeps its address forever, and nobody can call one that only means "all interfaces".
  if ((role === 'api' || role === 'all-in-one') && given.BASE_URL === undefined && wildcards.has(host))
    problems.push(
      `BASE_URL is not set, and HOST=${host} is no address that callers could use. Set it to the public URL, for example BASE_URL=https://tastegraph.example.com`,
    );
  return problems;
}

const wildcards = new Set(['0.0.0.0', '::']);

/** `file:///folder` for one machine; `s3://bucket?region=…&endpoint=…&public_endpoint=…&path_style=true` for several. */
function objectsSettings(settings: Settings): ObjectsSettings | undefined {
  if (settings.OBJECTS_URL === undefined) return undefined;
  const url = new URL(settings.OBJECTS_URL);
  const stepMs = settings.OBJECTS_TIMEOUT_SECONDS * 1000;
  if (url.protocol === 'file:') return { kind: 'folder', root: fileURLToPath(url), stepMs };
  const endpoint = url.searchParams.get('endpoint');
  const publicEndpoint = url.searchParams.get('public_endpoint');
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
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

function oidcSettings(settings: Settings) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  // Without a secret, it is a public client.
  return { issuer, clientId, clientSecret: settings.OIDC_CLIENT_SECRET, name: settings.OIDC_NAME };
}

function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}
