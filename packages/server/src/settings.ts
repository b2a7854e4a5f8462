import { isIP } from 'node:net';
import Type, { type TNumberOptions, type TStringOptions } from 'typebox';
import { defaultHost, defaultPort } from './kernel/lib/listen-address.ts';

const integer = (minimum: number, maximum: number, options: TNumberOptions) =>
  Type.Integer({ ...options, minimum, maximum });
const number = (minimum: number, maximum: number, options: TNumberOptions) =>
  Type.Number({ ...options, minimum, maximum });
const optionalInteger = (minimum: number, maximum: number, options: TNumberOptions) =>
  Type.Optional(integer(minimum, maximum, options));
const optionalText = (options: TStringOptions) => Type.Optional(Type.String(options));

/**
 * Every setting of the server. `config.ts` validates the environment with it, and `npm run generate` writes
 * docs/reference/settings.md from it. Besides JSON Schema:
 * - `x-default`: the default in words, where it depends on something
 * - `x-must`: what a pattern or a format requires, in words that follow "must be"
 */
export const settingsSchema = Type.Object({
  DATABASE_URL: Type.String({
    examples: ['postgres://user:password@host:5432/database'],
    description:
      'PostgreSQL 15 or newer, with a role that owns its database. For TLS, see [TLS](../operations/running.md#tls).',
  }),
  DATABASE_POOL_SIZE: integer(1, 500, {
    // PostgreSQL works on about two statements per core at once; 16 keep an 8-core server busy from one process.
    default: 16,
    description:
      'The number of connections a process may hold across all its pools ([how they are split](../operations/running.md#connections)). A `worker` or `all-in-one` process opens up to 9 + 4 x `IMPORT_CONCURRENCY` + `JOB_CONCURRENCY` x (1 + `TRAINING_READERS`) more: 4 for each import, 4 for a recommending job, 2 for a guard, 1 each for an export, outcomes and its heartbeat, and those of its training jobs. Keep the sum over all processes, with those that run twice during an update, below `max_connections` of PostgreSQL.',
  }),
  DATABASE_READ_URL: optionalText({
    'x-default': 'none',
    examples: ['postgres://user:password@replica:5432/database'],
    description:
      'A streaming replica of the same database, which serving and all-in-one processes read from for recommendation calls. They read from `DATABASE_URL` while the replica is unreachable or further behind than `DATABASE_READ_LAG_MS`, and from the replica alone while `DATABASE_URL` is unreachable ([read replica](../operations/failover.md#read-replica)). The address must lead to one server at a time.',
  }),
  DATABASE_READ_LAG_MS: integer(100, 600_000, {
    // Replicas in the same network are a few milliseconds behind. People hardly notice one second.
    default: 1000,
    description:
      'How far the replica of `DATABASE_READ_URL` may be behind, in milliseconds. A recommendation call takes all events into account that were written longer ago than this.',
  }),
  REDIS_URL: optionalText({
    'x-default': 'none',
    examples: ['redis://127.0.0.1:6379'],
    description:
      'Redis, in which processes count recommendation calls (`qps`) and token requests together. Set it if you run more than one api or serving process. If it is not set or Redis is down, each process counts only its own calls, so that all processes together may allow more than the limit.',
  }),
  OBJECTS_URL: optionalText({
    format: 'objects-url',
    'x-must':
      'file:///folder, or s3://bucket?region=…&endpoint=…&path_style=true (keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
    'x-default': 'required',
    examples: ['file:///var/lib/tastegraph/objects'],
    description:
      "Where models and results are stored; the same for all processes. Use `file:///var/lib/tastegraph/objects` if all processes run on one machine, otherwise `s3://bucket?region=eu-west-1`. For stores other than Amazon's, add `&endpoint=https://…&path_style=true`. Result downloads redirect to the bucket, so callers must be able to reach it; if they use a different address than the processes, add `&public_endpoint=https://…`. The bucket must exist: see [bucket requirements](../operations/running.md#the-bucket). `migrate` and `admin` do not need it.",
  }),
  AWS_ACCESS_KEY_ID: optionalText({
    'x-default': "the AWS SDK's default chain",
    description: 'The access key for the bucket, together with `AWS_SECRET_ACCESS_KEY`.',
  }),
  AWS_SECRET_ACCESS_KEY: optionalText({
    'x-default': "the AWS SDK's default chain",
    description: 'The secret of `AWS_ACCESS_KEY_ID`.',
  }),
  OBJECTS_TIMEOUT_SECONDS: number(0.1, 600, {
    // A part of 16 MiB takes this long at 4.5 Mbit/s; a disk behind a network may stall for seconds.
    default: 30,
    description:
      'The timeout for one request to the object store and its response, or for reading or writing one block of a file. Raise it for a store behind a slow connection.',
  }),
  HOST: Type.String({ default: defaultHost, description: 'The address the process listens on.' }),
  PORT: integer(0, 65_535, {
    default: defaultPort,
    description: 'The port the process listens on. 0 picks a free one.',
  }),
  METRICS_PORT: optionalInteger(0, 65_535, {
    'x-default': 'none',
    description:
      'The port on `HOST` that serves `GET /metrics` in Prometheus text format, without authentication. Let only your monitoring reach it. Each process needs its own port.',
  }),
  DRAIN_SECONDS: number(0, 300, {
    default: 0,
    description:
      'How long a process keeps accepting calls after SIGTERM, while `/readyz` returns 503. Set it to the time that your load balancer needs to stop sending calls to the process: the interval of its health checks, times the number of failed checks after which it removes a process, plus 1 s.',
  }),
  BASE_URL: optionalText({
    'x-default': '`http://HOST:PORT`; required if `HOST` is `0.0.0.0` or `::`',
    description:
      'The public URL of the API and the console. Every download URL and sign-in link starts with it. With https, the cookie of a session is sent over https only.',
  }),
  SESSION_IDLE_HOURS: number(0.001, 8760, {
    // A working day and the way home: who comes back on the next morning signs in again.
    default: 12,
    description: 'The hours after which a session in the console ends if it is not used.',
  }),
  SESSION_MAX_HOURS: number(0.001, 8760, {
    default: 168,
    description: 'The hours after which a session in the console ends in any case, counted from the sign-in.',
  }),
  AUDIT_RETENTION_DAYS: number(0.001, 36_500, {
    // People ask who changed something within a year.
    default: 365,
    description: 'The number of days after which the entries of `/list-audit-events` are removed.',
  }),
  OWNER_EMAIL: Type.String({
    default: 'owner@localhost',
    description:
      'The first person. When an api or all-in-one process starts on a database without accounts and people, it creates an account with this owner and prints a one-time link to sign in. `none` creates nothing.',
  }),
  OIDC_ISSUER: optionalText({
    format: 'issuer',
    'x-must': 'an https URL without query and fragment (http only for localhost)',
    'x-default': 'none',
    examples: ['https://login.example.com'],
    description:
      'Your identity provider, with which people can sign in to the console ([how to set it up](../guide/people.md#sign-in-with-your-identity-provider)). The URL before `/.well-known/openid-configuration`. The provider may be unreachable when Tastegraph starts.',
  }),
  OIDC_CLIENT_ID: optionalText({
    'x-default': 'required with `OIDC_ISSUER`',
    examples: ['tastegraph'],
    description:
      'The ID under which you registered Tastegraph with the provider, with `BASE_URL` and `/console/oidc/callback` as the redirect URI.',
  }),
  OIDC_CLIENT_SECRET: optionalText({
    'x-default': 'none',
    description: 'The secret of `OIDC_CLIENT_ID`. Not set for a public client.',
  }),
  OIDC_NAME: Type.String({
    default: 'single sign-on',
    maxLength: 40,
    'x-must': 'a text of at most 40 characters',
    description: 'The provider\'s name on the sign-in screen: "Continue with …".',
  }),
  SERVING_BASE_URL: optionalText({
    'x-default': '`BASE_URL`',
    description:
      "The public URL of the recommendation call, if the serving processes have a URL of their own ([one address for both](../operations/running.md#one-address-for-both)). It is part of every project's `serving_uri`, which never changes, so set it before you create the first project.",
  }),
  TRUST_PROXY: optionalText({
    format: 'proxies',
    'x-must': 'comma-separated addresses or networks, for example 127.0.0.1,10.0.0.0/8, or none',
    'x-default': 'required unless `HOST` is a loopback address',
    description:
      'The trusted proxies in front: comma-separated addresses or networks, or `loopback`, `linklocal`, `uniquelocal`; `none` if callers connect directly. The proxies must overwrite `X-Forwarded-For`, because Tastegraph trusts what they pass on. A worker does not need it.',
  }),
  CELL: Type.String({
    default: 'main',
    pattern: '^[a-z0-9]{1,16}$',
    'x-must': '1 to 16 lower-case letters and digits',
    description:
      'The name of this installation (one PostgreSQL and the processes that use it). It is part of every API key: `tg_<cell>_…`.',
  }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    default: 'info',
    description: 'The least severe level to log. Logs are JSON lines on stdout, one per request.',
  }),
  SERVING_DEADLINE_MS: integer(10, 60_000, {
    default: 500,
    description:
      'The deadline of a recommendation call, in milliseconds. A call that cannot be answered in this time fails with 503.',
  }),
  SERVING_MEMORY_MB: optionalInteger(16, 1e7, {
    'x-default': "half of the container's memory limit, or of the machine's memory without one",
    description:
      "The memory of a serving process for models and for item records that filters read. Item records get a quarter of it, but at most half of V8's heap. If it is full, the least recently used models and item records are evicted. Set it lower if PostgreSQL runs on the same machine.",
  }),
  JOB_CONCURRENCY: integer(1, 64, {
    default: 1,
    description:
      'The number of training jobs that a worker runs at the same time. One training job already uses all CPU threads. `IMPORT_CONCURRENCY` imports and one job of each other type can run at the same time as the training jobs.',
  }),
  TRAINING_THREADS: optionalInteger(1, 256, {
    'x-default': "all of the machine's",
    description: 'The number of CPU threads that one training job uses.',
  }),
  TRAINING_READERS: optionalInteger(1, 32, {
    'x-default': '`TRAINING_THREADS`, but at most 4',
    description:
      'The number of threads and database connections with which one training job reads its events, from a million events on. They are in addition to `DATABASE_POOL_SIZE` and to the connection that every training job has.',
  }),
  TRAINING_WINDOW_MB: integer(1, 1024, {
    default: 256,
    description:
      'How much of its intermediate results one training job works on at a time, in MiB. A smaller window needs less memory and may take longer. The model does not depend on it.',
  }),
  JOB_MAX_HOURS: number(0.0001, 168, {
    default: 24,
    description: 'The maximum duration of a job, in hours. A job that takes longer fails.',
  }),
  IMPORT_CONCURRENCY: integer(1, 16, {
    // One that an account fills, and one for the others.
    default: 2,
    description:
      'The number of import jobs that a worker runs at the same time, each in a process of its own with four database connections. From two on, one account takes at most all but one.',
  }),
  IMPORT_MEMORY_MB: optionalInteger(128, 1e6, {
    'x-default': "a quarter of the container's memory limit, or of the machine's memory, from 384 to 2048",
    description:
      'The memory in MiB that the process of an import job may take, in addition to that of the worker. A Parquet file needs memory for its largest row group. A file that needs more fails as `FILE_INVALID`.',
  }),
  IMPORT_CPU_SECONDS: number(1, 3600, {
    // A page of a column and the rows of a row group take up to a second or two.
    default: 10,
    description:
      'The CPU time in seconds that an import job may take for the next part of a file. A file that needs more fails as `FILE_INVALID`.',
  }),
  IMPORT_MAX_GB: number(0.001, 1e6, {
    // About a billion events.
    default: 100,
    description:
      'The size in GB of all files of an import job together, decompressed. Regardless of it, a file fails if it decompresses to more than 4 MiB and 200 times its size.',
  }),
  WEBHOOK_PRIVATE_ADDRESSES: Type.Enum(['refuse', 'allow'], {
    default: 'refuse',
    description:
      'Whether webhooks may be sent to addresses of private networks, of this machine and of link-local services. With `refuse`, a caller cannot use webhooks to reach what only your servers can reach. Set it to `allow` if your receivers are in a private network and you trust everybody who may create webhooks.',
  }),
  RESULT_RETENTION_DAYS: number(0.001, 36_500, {
    // About as long as people come back for a result. Results contain user IDs, so they are not kept forever.
    default: 30,
    description:
      'The number of days after which the results of jobs, which contain user IDs, are removed. The job stays and says that its result expired.',
  }),
  MODEL_RETENTION_DAYS: number(0.001, 36_500, {
    // People compare with the same season of the year before. Trained daily, a project keeps about 365 models.
    default: 365,
    description:
      'The number of days after which models that are not in use are removed, with their files, as `/delete-model` does. A model is in use while it is deployed, kept for a rollback, part of a running experiment, named by a schedule or by a job that has not ended, or the newest one of its project. Workers look for old models once a day. With 36500, they are kept for a hundred years.',
  }),
  JOB_RETENTION_DAYS: number(0.001, 36_500, {
    // As long as audit events.
    default: 365,
    description:
      'The number of days after which jobs that have ended are removed, as `/delete-job` does. The job that trained a model stays as long as the model, the last job of a schedule as long as the schedule, and every job as long as its result (`RESULT_RETENTION_DAYS`). Workers look for old jobs once a day.',
  }),
  DECISION_LOG_DAYS: integer(0, 60, {
    // Long enough to compare a month; answers contain user IDs, so they are not kept forever.
    default: 30,
    description:
      'The number of days for which the answers of recommendation calls are kept, for `/get-recommendation` and `/get-outcomes`. Answers contain user IDs. With 0, serving processes log no answers. Set it to the same value for all processes.',
  }),
  OUTCOMES_SECONDS: integer(5, 86_400, {
    // Fresh enough to watch a release; each run reads the events of a day.
    default: 120,
    description:
      'The number of seconds after which the outcomes and experiments of a project are brought up to date. A project takes at most a tenth of the time of a worker, so a run that takes a minute is repeated after ten.',
  }),
  RECOMMENDING_FILE_USERS: integer(1, 10_000_000, {
    // Few files for most services, and an attempt that is killed loses at most a minute or two.
    default: 50_000,
    description:
      'The number of users per file of a recommending job. After a restart, the job continues after the last complete file. Beyond 2,500,000 users, files get larger.',
  }),
  JOB_RETRY_SECONDS: number(0, 3600, {
    // A restart of a store or a database is over by the second retry, an outage of minutes by the third.
    default: 10,
    description: 'The delay before the first of three retries. The next two wait 4 and 16 times as long.',
  }),
  JOB_HEARTBEAT_SECONDS: number(0.05, 60, {
    default: 3,
    description:
      "The interval of a worker's heartbeat. After five missed heartbeats, its jobs move to other workers.",
  }),
  JOB_HUNG_SECONDS: number(1, 3600, {
    // The main thread only waits and writes rows. If it is blocked for this long, it will not recover.
    default: 20,
    description:
      'A worker whose main thread is blocked for this long kills itself, so that its supervisor restarts it. Its jobs move to other workers.',
  }),
});

export type Settings = Type.Static<typeof settingsSchema>;
export type SettingName = keyof Settings;

/** What the pages and messages need of a setting's schema. */
export interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly 'x-must'?: string;
  readonly 'x-default'?: string;
}

export const annotations = ['x-must', 'x-default'] as const;
export const settingSchemas = settingsSchema.properties as Record<SettingName, SettingSchema>;
export const settingNames = Object.keys(settingSchemas) as SettingName[];

/** What a setting must be, in words that follow "must be"; undefined for any text. */
export function requirementOf(schema: SettingSchema): string | undefined {
  if (schema['x-must'] !== undefined) return schema['x-must'];
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'string') return undefined;
  const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
  return `${kind} from ${schema.minimum} to ${schema.maximum}`;
}

export const formats: Record<string, (text: string) => boolean> = {
  'objects-url': (text) => {
    const url = URL.parse(text);
    if (url?.protocol === 'file:') return url.host === '' && url.pathname.length > 1;
    return url?.protocol === 's3:' && url.host !== '';
  },
  issuer: (text) => {
    const url = URL.parse(text);
    if (!url || url.search !== '' || url.hash !== '' || url.username !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  },
  proxies: (text) => text === 'none' || text.split(',').every((part) => isNetwork(part.trim())),
};

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\./.test(host);
}

/** Fastify's names for networks that only nearby machines can send from. */
const networkNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isNetwork(text: string): boolean {
  if (networkNames.has(text)) return true;
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0 || prefix === undefined) return version !== 0;
  const longest = version === 4 ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= longest;
}
