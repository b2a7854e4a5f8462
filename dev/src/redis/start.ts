import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { startGuard } from '../processes/guard.ts';
import { failure, lastLines } from '../processes/log.ts';
import { findFreePort } from '../processes/port.ts';
import { type Service, startService } from '../processes/service.ts';
import { waitUntil } from '../processes/wait.ts';
import { isRedisReady, redisConfiguration } from './protocol.ts';

export interface RedisOptions {
  /** Of 127.0.0.1; a free one when absent. */
  readonly port?: number;
  /** Where its log is kept. Without it a temporary one is made, and removed by stop(). */
  readonly dataDirectory?: string;
}

export interface PrivateRedis extends AsyncDisposable {
  /** With the password, which is random. */
  readonly url: string;
  readonly port: number;
  /** Another one after restart(). */
  readonly pid: number;
  readonly logFile: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Starts again on the same port, empty: nothing of what Redis holds is kept on disk. Stops it first if it runs. */
  restart(): Promise<void>;
}

export class RedisMissingError extends Error {
  override readonly name = 'RedisMissingError';
}

// It has no data to read; this is for a machine under heavy load.
const START_LIMIT_MS = 30_000;
const STOP_STEPS = [{ signal: 'SIGTERM', limitMs: 10_000 }] as const;
const PORT_ATTEMPTS = 5;
// Valkey is what some distributions ship under Redis's name; it speaks the same protocol.
const PROGRAMS = ['redis-server', 'valkey-server'];

export async function startRedis(options: RedisOptions = {}): Promise<PrivateRedis> {
  const command = await findRedis();
  const temporary =
    options.dataDirectory === undefined ? await mkdtemp(join(tmpdir(), 'tastegraph-redis-')) : undefined;
  const directory = resolve(options.dataDirectory ?? temporary ?? '');
  const logFile = join(directory, 'redis.log');
  const password = randomBytes(24).toString('hex');
  const guard = startGuard(['TERM'], temporary);
  let port = 0;
  let service: Service | undefined;
  let stopped = false;

  const launch = async () => {
    const input = redisConfiguration({ port, password, directory });
    service = await startService({ command, args: ['-'], input, logFile, guard });
    await waitUntilReady(service, port, password, logFile);
  };
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await service?.end(STOP_STEPS);
    if (temporary) await rm(temporary, { recursive: true, force: true });
    guard.dismiss();
  };

  try {
    await mkdir(directory, { recursive: true });
    await writeFile(logFile, '', { mode: 0o600 });
    for (let attempt = 1; service === undefined || service.hasExited(); attempt += 1) {
      port = options.port ?? (await findFreePort());
      const retry = options.port === undefined && attempt < PORT_ATTEMPTS;
      await launch().catch(async (error: unknown) => {
        if (!retry || !(await isPortTaken(logFile))) throw error;
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    get pid() {
      return service?.pid ?? 0;
    },
    logFile,
    stop,
    kill: async () => service?.end([]),
    restart: async () => {
      if (stopped) throw new Error('This Redis was stopped. Start a new one.');
      await service?.end(STOP_STEPS);
      await launch();
    },
    [Symbol.asyncDispose]: stop,
  };
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

async function waitUntilReady(
  service: Service,
  port: number,
  password: string,
  logFile: string,
): Promise<void> {
  const isReady = async () => service.hasExited() || (await isRedisReady(port, password));
  const settled = await waitUntil(isReady, { limitMs: START_LIMIT_MS });
  if (settled && !service.hasExited()) return;
  throw failure(
    `Redis ${settled ? 'ended while it started' : `was not ready within ${START_LIMIT_MS / 1000} s`}.`,
    await lastLines(logFile),
    'mend what it says and start again.',
  );
}

async function isPortTaken(logFile: string): Promise<boolean> {
  return (await lastLines(logFile)).some((line) => line.includes('Address already in use'));
}
