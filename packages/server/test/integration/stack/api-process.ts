import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@tastegraph/dev';
import { isReady, type ServerProcess, startServer } from './server-process.ts';

/** The API in a separate process, so that a crash or a blocked event loop does not affect the test. */
export interface ApiProcess extends ServerProcess {
  /** The end of its log. */
  lastWords(): string;
  kill(): Promise<void>;
}

export interface ApiProcessOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** A free port by default. Pass a port to restart at the address of a killed process. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startApiProcess({
  databaseUrl,
  redisUrl,
  port,
  env,
}: ApiProcessOptions): Promise<ApiProcess> {
  const server = await startServer('api', {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'warn',
    PORT: String(port ?? (await findFreePort())),
    ...env,
  });
  const kill = async () => server[Symbol.asyncDispose]();
  return {
    ...server,
    lastWords: () => server.output().slice(-10_000),
    kill,
    async [Symbol.asyncDispose]() {
      server.signal('SIGTERM');
      await server.ended;
      await kill();
    },
  };
}

/** False if it did not become ready in time or has ended. */
export async function isReadyWithin(api: ApiProcess, limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end && !api.hasExited(); ) {
    if (await isReady(api.baseUrl)) return true;
    await sleep(20);
  }
  return false;
}

/** By how many MB the memory of a process grew at its peak while `act` ran. */
export async function growthOf(pid: number, act: () => Promise<void>): Promise<number> {
  // Forgets the peak so far.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await residentMb(pid, 'VmRSS');
  await act();
  return (await residentMb(pid, 'VmHWM')) - before;
}

async function residentMb(pid: number, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
}
