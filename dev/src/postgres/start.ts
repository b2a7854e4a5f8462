import { chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ownerOf, serviceAccount, temporaryRoot } from '../processes/account.ts';
import { startGuard } from '../processes/guard.ts';
import { failure, lastLines } from '../processes/log.ts';
import { findFreePort } from '../processes/port.ts';
import { type Service, startService } from '../processes/service.ts';
import { waitUntil } from '../processes/wait.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, findClusterMajor, readPassword } from './cluster.ts';
import { clearLeftovers, killProcesses, readLockFile, removeSharedMemory } from './postmaster.ts';
import { machineSettings, type Place, readProductSettings, renderSettings } from './settings.ts';

export interface PostgresOptions {
  /** A major version (`15`, `18`), a bin directory, or `auto`, the default: see findBinaries. */
  readonly binaries?: string;
  /** Kept when PostgreSQL stops; made when absent. Without it a temporary one is made, and removed by stop(). */
  readonly dataDirectory?: string;
  /** Of 127.0.0.1; a free one when absent. */
  readonly port?: number;
  /** Over those of deploy/postgres/tastegraph.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PrivatePostgres extends AsyncDisposable {
  /** With the password, which is random. */
  readonly url: string;
  readonly port: number;
  /** Of the postmaster; another one after restart(). */
  readonly pid: number;
  readonly binDirectory: string;
  readonly version: string;
  readonly dataDirectory: string;
  readonly logFile: string;
  /** Fast shutdown: open transactions are rolled back, connections closed. Once stopped it stays stopped. */
  stop(): Promise<void>;
  /** SIGKILL to the postmaster and its children; returns when all are gone. */
  kill(): Promise<void>;
  /** Starts again on the same data and port, after kill() or whatever else ended it; stops it first if it runs. */
  restart(): Promise<void>;
}

// A crash may leave up to max_wal_size (16 GB) to replay. A start that fails is seen at once; this is for one that hangs.
const START_LIMIT_MS = 5 * 60_000;
// A fast shutdown writes all of shared_buffers (2 GB) at worst; an immediate one writes nothing.
const STOP_STEPS = [
  { signal: 'SIGINT', limitMs: 60_000 },
  { signal: 'SIGQUIT', limitMs: 10_000 },
] as const;
const PORT_ATTEMPTS = 5;

export async function startPostgres(options: PostgresOptions = {}): Promise<PrivatePostgres> {
  const { place, temporary } = await preparePlace(options);
  const { dataDirectory, binaries, account } = place;
  const logFile = `${dataDirectory}.log`;
  const guard = startGuard(['INT', 'QUIT'], temporary);
  let port = 0;
  let password = '';
  let service: Service | undefined;
  let stopped = false;

  const launch = async () => {
    await clearLeftovers(dataDirectory, account);
    service = await startService({
      command: join(binaries.binDirectory, 'postgres'),
      args: ['-D', dataDirectory],
      account,
      logFile,
      guard,
    });
    await waitUntilReady(place, service, logFile);
  };
  const end = async () => {
    await service?.end(STOP_STEPS);
  };
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await end();
    if (temporary) {
      await removeSharedMemory(dataDirectory, account);
      await rm(temporary, { recursive: true, force: true });
    }
    guard.dismiss();
  };

  try {
    if ((await findClusterMajor(dataDirectory)) === undefined) {
      await createCluster({ dataDirectory, binaries, account, kept: temporary === undefined });
    }
    password = await readPassword(dataDirectory);
    await writeFile(logFile, '', { mode: 0o600 });
    for (let attempt = 1; service === undefined || service.hasExited(); attempt += 1) {
      port = options.port ?? (await findFreePort());
      await writeSettings(place, { ...options.settings, port: String(port) });
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
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return service?.pid ?? 0;
    },
    binDirectory: binaries.binDirectory,
    version: binaries.version,
    dataDirectory,
    logFile,
    stop,
    kill: async () => {
      await killProcesses(dataDirectory, account);
      await service?.end([]);
    },
    restart: async () => {
      if (stopped) throw new Error('This PostgreSQL was stopped. Start a new one.');
      await end();
      await launch();
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function preparePlace(
  options: PostgresOptions,
): Promise<{ place: Place; temporary: string | undefined }> {
  const wanted = options.binaries ?? 'auto';
  if (options.dataDirectory === undefined) {
    const account = await serviceAccount();
    const binaries = await findBinaries(wanted, account);
    const temporary = await mkdtemp(
      join(await realpath(await temporaryRoot(account)), 'tastegraph-postgres-'),
    );
    if (account) await chown(temporary, account.uid, account.gid);
    return { place: { dataDirectory: join(temporary, 'data'), binaries, account }, temporary };
  }
  await mkdir(dirname(options.dataDirectory), { recursive: true });
  const dataDirectory = join(await realpath(dirname(options.dataDirectory)), basename(options.dataDirectory));
  // Data can be read only by the major version that wrote it.
  const major = await findClusterMajor(dataDirectory);
  const account = major === undefined ? await serviceAccount() : await ownerOf(dataDirectory);
  const binaries = await findBinaries(wanted, account, major);
  return { place: { dataDirectory, binaries, account }, temporary: undefined };
}

async function writeSettings(place: Place, overrides: Readonly<Record<string, string>>): Promise<void> {
  const product = await readProductSettings();
  const settings = { ...product, ...(await machineSettings(place, product)), ...overrides };
  await writeFile(join(place.dataDirectory, 'postgresql.conf'), renderSettings(settings));
}

/** Ready as pg_ctl understands it: the postmaster itself writes the word into its lock file. */
async function waitUntilReady(place: Place, service: Service, logFile: string): Promise<void> {
  const isReady = async () => {
    const lock = await readLockFile(place.dataDirectory);
    return lock?.pid === service.pid && lock.status === 'ready';
  };
  const settled = await waitUntil(async () => service.hasExited() || (await isReady()), {
    limitMs: START_LIMIT_MS,
  });
  if (settled && !service.hasExited()) return;
  throw failure(
    `PostgreSQL ${place.binaries.version} ${settled ? 'ended while it started' : `was not ready within ${START_LIMIT_MS / 1000} s`}.`,
    await lastLines(logFile),
    `mend what it says and start again. Its programs: ${place.binaries.binDirectory}; its data: ${place.dataDirectory}.`,
  );
}

async function isPortTaken(logFile: string): Promise<boolean> {
  return (await lastLines(logFile)).some((line) => line.includes('Address already in use'));
}
