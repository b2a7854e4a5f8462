import { pathToFileURL } from 'node:url';
import type { Closers } from '../processes/closers.ts';
import { findFreePort, isPortFree } from '../processes/port.ts';
import { type Credentials, obtainCredentials } from './credentials.ts';
import type { Options } from './options.ts';
import { showStep } from './screen.ts';
import { type RunningServer, runServerCommand, startServer } from './server.ts';
import { openPostgres, openRedis, type Store } from './stores.ts';
import { makeTemporaryWorkplace, openWorkplace, type Workplace } from './workplace.ts';

export interface Running {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly postgres: Store;
  readonly redis: Store | undefined;
  readonly server: RunningServer;
  readonly workplace: Workplace;
}

const DEFAULT_PORT = 8080;
const NEXT_PORTS = 20;

/** From nothing to a server that is ready. All that it starts is in `closers`, also when it fails halfway. */
export async function bringUp(options: Options, closers: Closers, signal: AbortSignal): Promise<Running> {
  const step = (name: string) => {
    signal.throwIfAborted();
    showStep(name);
  };
  const port = await choosePort(options.port);
  const workplace = options.ephemeral ? await makeTemporaryWorkplace(closers) : await openWorkplace();
  // A run that leaves nothing behind must not write into somebody's database.
  const { DATABASE_URL, REDIS_URL, OBJECTS_URL, ...inherited } = process.env;
  const given = options.ephemeral ? {} : { DATABASE_URL, REDIS_URL, OBJECTS_URL };

  step('PostgreSQL');
  const postgres = await openPostgres({ givenUrl: given.DATABASE_URL, workplace, closers, signal });
  step('Redis');
  const redis = await openRedis({ givenUrl: given.REDIS_URL, workplace, closers, signal });

  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...inherited,
    DATABASE_URL: postgres.url,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    OBJECTS_URL: given.OBJECTS_URL || pathToFileURL(workplace.objects).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: baseUrl,
  };
  step('Migrations');
  await runServerCommand(['migrate'], env, signal);

  step('Server');
  const server = startServer(env, workplace.serverLog, (line) => {
    showStep('');
    console.error(line);
  });
  closers.add({ name: 'server', limitMs: 45_000, close: () => server.stop(), kill: () => server.kill() });
  const admin = (...args: string[]) => runServerCommand(['admin', ...args, '--json'], env, signal);
  // The key is made while the server starts: each costs a start of Node.
  const [credentials] = await Promise.all([
    obtainCredentials(admin, workplace.kept?.credentials),
    server.waitUntilReady(baseUrl, signal),
  ]);
  showStep('');
  return { baseUrl, credentials, postgres, redis, server, workplace };
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === 0) return findFreePort();
  if (wanted !== undefined) {
    if (await isPortFree(wanted)) return wanted;
    throw new Error(`Port ${wanted} is taken. Name another one, or leave --port away to get a free one.`);
  }
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + NEXT_PORTS; port += 1) {
    if (await isPortFree(port)) return port;
  }
  return findFreePort();
}
