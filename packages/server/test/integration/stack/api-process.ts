import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@tastegraph/dev';

/** The API in a separate process, so that a crash or a blocked event loop does not affect the test. */
export interface ApiProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly pid: number;
  hasExited(): boolean;
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

const main = resolve(import.meta.dirname, '../../../src/main.ts');
const startLimitMs = 60_000;

export async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const port = options.port ?? (await findFreePort());
  const objects = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const child = spawn(process.execPath, [main, 'api'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl,
      PORT: String(port),
      OBJECTS_URL: pathToFileURL(objects).href,
      LOG_LEVEL: 'warn',
      OWNER_EMAIL: 'none',
      ...options.env,
    },
  });
  const lastWords = keepLastWords(child);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (hasExited()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    await rm(objects, { recursive: true, force: true });
  };
  const api: ApiProcess = {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    hasExited,
    lastWords,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
  if (await isReadyWithin(api, startLimitMs)) return api;
  await api.kill();
  throw new Error(`The api was not ready within ${startLimitMs} ms. ${lastWords()}`);
}

/** False if it did not become ready in time or has ended. */
export async function isReadyWithin(api: ApiProcess, limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end && !api.hasExited(); ) {
    const ready = await fetch(`${api.baseUrl}/readyz`).catch(() => undefined);
    await ready?.body?.cancel();
    if (ready?.ok) return true;
    await sleep(20);
  }
  return false;
}

function keepLastWords({ stdout, stderr }: ChildProcess): () => string {
  let words = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-10_000);
    });
  }
  return () => words;
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
