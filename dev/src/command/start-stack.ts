import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Closers } from '../processes/closers.ts';
import { findFreePort, isPortFree } from '../processes/port.ts';
import { type Admin, type Credentials, createConsoleLink, loadOrCreateCredentials } from './credentials.ts';
import type { Options } from './options.ts';
import { showStep, usualPort } from './screen.ts';
import { buildConsole, type RunningServer, runServerCommand, startServer } from './server.ts';
import { openPostgres, openRedis, type Store } from './stores.ts';
import { createTemporaryWorkspace, openWorkspace, URL_FILE, type Workspace } from './workspace.ts';

export interface RunningStack {
  readonly baseUrl: string;
  /** Whether another process has the usual port. */
  readonly isPortMoved: boolean;
  readonly credentials: Credentials;
  /** Signs in to the console, once. */
  readonly consoleLink: string;
  readonly postgres: Store;
  readonly redis: Store | undefined;
  readonly server: RunningServer;
  readonly workspace: Workspace;
}

const NEXT_PORTS = 20;

/** Starts all services and waits until the server is ready. Adds what it starts to `closers`, even if it fails midway. */
export async function startStack(
  options: Options,
  closers: Closers,
  signal: AbortSignal,
): Promise<RunningStack> {
  const step = (name: string) => {
    signal.throwIfAborted();
    showStep(name);
  };
  const port = await choosePort(options.port);
  const workspace = options.ephemeral ? await createTemporaryWorkspace(closers) : await openWorkspace();
  // An ephemeral run must not write to an existing database.
  const { DATABASE_URL, REDIS_URL, OBJECTS_URL, ...inherited } = process.env;
  const configured = options.ephemeral ? {} : { DATABASE_URL, REDIS_URL, OBJECTS_URL };

  // Takes a few seconds after a change, and none otherwise; meanwhile the databases start.
  const consoleBuilt = buildConsole(signal);
  consoleBuilt.catch(() => undefined);
  step('PostgreSQL');
  const postgres = await openPostgres({ configuredUrl: configured.DATABASE_URL, workspace, closers, signal });
  step('Redis');
  const redis = await openRedis({ configuredUrl: configured.REDIS_URL, workspace, closers, signal });

  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...inherited,
    DATABASE_URL: postgres.url,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    OBJECTS_URL: configured.OBJECTS_URL || pathToFileURL(workspace.objects).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: baseUrl,
    // Outcomes of what a developer tries show soon.
    OUTCOMES_SECONDS: inherited.OUTCOMES_SECONDS ?? '10',
    // The link below is for the account of the credentials.
    OWNER_EMAIL: 'none',
  };
  step('Migrations');
  await runServerCommand(['migrate'], env, signal);

  step('Console');
  await consoleBuilt;

  step('Server');
  const server = startServer(env, workspace.serverLog, (line) => {
    showStep('');
    console.error(line);
  });
  closers.add({ name: 'server', limitMs: 45_000, close: () => server.stop(), kill: () => server.kill() });
  const admin = (...args: string[]) => runServerCommand(['admin', ...args, '--json'], env, signal);
  // Creates the key while the server starts, because each takes a start of Node.
  const [{ credentials, consoleLink }] = await Promise.all([
    createAccess(admin, workspace.persistent?.credentials),
    server.waitUntilReady(baseUrl, signal),
  ]);
  if (workspace.persistent) await writeFile(URL_FILE, baseUrl);
  showStep('');
  const isPortMoved = options.port === undefined && port !== usualPort;
  return { baseUrl, isPortMoved, credentials, consoleLink, postgres, redis, server, workspace };
}

async function createAccess(admin: Admin, file: string | undefined) {
  const credentials = await loadOrCreateCredentials(admin, file);
  return { credentials, consoleLink: await createConsoleLink(admin, credentials.accountId) };
}

async function choosePort(requested: number | undefined): Promise<number> {
  if (requested === 0) return findFreePort();
  if (requested !== undefined) {
    if (await isPortFree(requested)) return requested;
    throw new Error(
      `Port ${requested} is already in use. Pass another port, or leave out --port to use a free one.`,
    );
  }
  for (let port = usualPort; port < usualPort + NEXT_PORTS; port += 1) {
    if (await isPortFree(port)) return port;
  }
  return findFreePort();
}
