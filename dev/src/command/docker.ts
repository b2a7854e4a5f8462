import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { readProductSettings } from '../postgres/settings.ts';
import { startGuard } from '../processes/guard.ts';
import { lastLines, serviceError } from '../processes/log.ts';
import { findFreePort } from '../processes/port.ts';
import { probe } from '../processes/probe.ts';
import { run } from '../processes/run.ts';
import { startService } from '../processes/service.ts';
import { waitUntil } from '../processes/wait.ts';
import { isRedisReady, redisConfiguration } from '../redis/protocol.ts';

export interface Container {
  readonly url: string;
  stop(): Promise<void>;
}

// The image may first have to be downloaded over a slow connection.
const START_LIMIT_MS = 10 * 60_000;
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

export async function isDockerRunning(): Promise<boolean> {
  return (await run('docker', ['info'], { limitMs: 10_000 })).ok;
}

export async function startPostgresContainer(logFile: string, signal: AbortSignal): Promise<Container> {
  const password = randomBytes(24).toString('hex');
  const port = await findFreePort();
  const settings = Object.entries(await readProductSettings()).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const stop = await startContainer({
    name: `tastegraph-dev-postgres-${port}`,
    // Parallel queries use /dev/shm, which Docker limits to 64 MB by default.
    args: [
      '--shm-size=1g',
      '-p',
      `127.0.0.1:${port}:5432`,
      '-e',
      'POSTGRES_PASSWORD',
      'postgres:18',
      ...settings,
    ],
    env: { POSTGRES_PASSWORD: password },
    // Docker accepts connections before PostgreSQL does, so wait for its response to an SSL request: S or N.
    isReady: () => probe(port, SSL_REQUEST, (answer) => /^[SN]/.test(answer)),
    logFile,
    signal,
  });
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}

export async function startRedisContainer(logFile: string, signal: AbortSignal): Promise<Container> {
  const password = randomBytes(24).toString('hex');
  const port = await findFreePort();
  const stop = await startContainer({
    name: `tastegraph-dev-redis-${port}`,
    args: ['-i', '-p', `127.0.0.1:${port}:6379`, 'redis:8', 'redis-server', '-'],
    env: {},
    input: redisConfiguration({ port: 6379, password }),
    isReady: () => isRedisReady(port, password),
    logFile,
    signal,
  });
  return { url: `redis://:${password}@127.0.0.1:${port}`, stop };
}

interface ContainerCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly isReady: () => Promise<boolean>;
  readonly logFile: string;
  readonly signal: AbortSignal;
}

/** `docker run` stays our child and forwards signals, so a container is guarded and stopped like any process. */
async function startContainer(container: ContainerCommand): Promise<() => Promise<void>> {
  const { name, args, env, input, isReady, logFile, signal } = container;
  await writeFile(logFile, '', { mode: 0o600 });
  const guard = startGuard(['INT', 'TERM']);
  const service = await startService({
    command: 'docker',
    args: ['run', '--rm', '--name', name, ...args],
    env: { ...process.env, ...env },
    ...(input === undefined ? {} : { input }),
    logFile,
    guard,
  });
  const stop = async () => {
    // SIGINT is PostgreSQL's fast shutdown, and also stops Redis.
    await service.stop([{ signal: 'SIGINT', limitMs: 30_000 }]);
    await run('docker', ['rm', '--force', '--volumes', name], { limitMs: 30_000 });
    guard.dismiss();
  };
  try {
    const check = async () => service.hasExited() || (await isReady());
    const settled = await waitUntil(check, { limitMs: START_LIMIT_MS, everyMs: 100, signal });
    if (settled && !service.hasExited()) return stop;
    throw serviceError(
      `Container ${name} ${settled ? 'exited during startup' : `was not ready within ${START_LIMIT_MS / 1000} s`}.`,
      await lastLines(logFile),
      'fix the cause, or set DATABASE_URL and REDIS_URL to your own services.',
    );
  } catch (error) {
    await stop();
    throw error;
  }
}
