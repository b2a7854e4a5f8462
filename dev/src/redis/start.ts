import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import { isRedisReady, redisConfiguration } from './protocol.ts';

export interface RedisOptions {
  /** On 127.0.0.1. Default: a free port. */
  readonly port?: number;
  /** The directory for its log. Default: a temporary directory, which stop() removes. */
  readonly dataDirectory?: string;
  /** In cluster mode, with all slots to be assigned. */
  readonly isCluster?: boolean;
}

/** Empty after restart(), because nothing is stored on disk. */
export interface PrivateRedis extends PrivateService {
  /** Includes the random password. */
  readonly url: string;
}

export class RedisMissingError extends Error {
  override readonly name = 'RedisMissingError';
}

// Redis has no data to load; the limit is for a machine under heavy load.
const START_LIMIT_MS = 30_000;
const STOP_STEPS = [{ signal: 'SIGTERM', limitMs: 10_000 }] as const;
// Some distributions ship Valkey instead of Redis; it has the same protocol.
const PROGRAMS = ['redis-server', 'valkey-server'];

export async function startRedis(options: RedisOptions = {}): Promise<PrivateRedis> {
  const command = await findRedis();
  const temporary =
    options.dataDirectory === undefined ? await mkdtemp(join(tmpdir(), 'tastegraph-redis-')) : undefined;
  const directory = resolve(options.dataDirectory ?? temporary ?? '');
  await mkdir(directory, { recursive: true });
  const password = randomBytes(24).toString('hex');
  const redis = await startPrivateService({
    name: 'Redis',
    port: options.port,
    logFile: join(directory, 'redis.log'),
    temporary,
    startLimitMs: START_LIMIT_MS,
    stopSteps: STOP_STEPS,
    command: async (port) => ({
      command,
      args: ['-'],
      input: redisConfiguration({ port, password, directory, isCluster: options.isCluster }),
    }),
    isReady: (_, port) => isRedisReady(port, password),
  });
  return Object.assign(redis, { url: `redis://:${password}@127.0.0.1:${redis.port}` });
}

async function findRedis(): Promise<string> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const directories = [...onPath, '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
  for (const program of PROGRAMS.flatMap((name) => directories.map((directory) => join(directory, name)))) {
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  throw new RedisMissingError(
    'redis-server was not found. Install it: apt install redis-server, dnf install redis, or brew install redis.',
  );
}
