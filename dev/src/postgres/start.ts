import { chown, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ownerOf, serviceAccount, temporaryRoot } from '../processes/account.ts';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import type { Account } from '../processes/run.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, findClusterMajor, type NewCluster, readPassword } from './cluster.ts';
import { clearLeftovers, killProcesses, readLockFile, removeSharedMemory } from './postmaster.ts';
import { type ClusterLocation, machineSettings, readProductSettings, renderSettings } from './settings.ts';

export interface PostgresOptions {
  /** A major version (`15`, `18`), a bin directory, or `auto`, the default: see findBinaries. */
  readonly binaries?: string;
  /** Created if missing, and kept by stop(). Default: a temporary directory, which stop() removes. */
  readonly dataDirectory?: string;
  /** On 127.0.0.1. Default: a free port. */
  readonly port?: number;
  /** Override those in deploy/postgres/tastegraph.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** `pid` is that of the postmaster; kill() also kills its children. restart() keeps the data. */
export interface PrivatePostgres extends PrivateService {
  /** Includes the random password. */
  readonly url: string;
  readonly binDirectory: string;
  readonly version: string;
  readonly dataDirectory: string;
}

// After a crash, up to max_wal_size (16 GB) may have to be replayed. A failed start is detected earlier.
const START_LIMIT_MS = 5 * 60_000;
// A fast shutdown rolls back open transactions and writes up to all of shared_buffers (2 GB); an immediate one writes nothing.
const STOP_STEPS = [
  { signal: 'SIGINT', limitMs: 60_000 },
  { signal: 'SIGQUIT', limitMs: 10_000 },
] as const;

/** How a new server gets its data, and when it is ready. */
export interface ClusterKind {
  create(cluster: NewCluster): Promise<void>;
  /** States in `postmaster.pid`. */
  readonly readyStates: readonly string[];
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PrivatePostgres> {
  return (await startCluster(options, { create: createCluster, readyStates: ['ready'] })).postgres;
}

export async function startCluster(
  options: PostgresOptions,
  kind: ClusterKind,
): Promise<{ postgres: PrivatePostgres; account: Account | undefined }> {
  const { location, temporary } = await prepareLocation(options);
  const { dataDirectory, binaries, account } = location;
  const { binDirectory, version } = binaries;
  let password = '';
  const postgres = await startPrivateService({
    name: `PostgreSQL ${version}`,
    port: options.port,
    logFile: `${dataDirectory}.log`,
    temporary,
    startLimitMs: START_LIMIT_MS,
    stopSteps: STOP_STEPS,
    prepare: async () => {
      if ((await findClusterMajor(dataDirectory)) === undefined) {
        await kind.create({ dataDirectory, binaries, account, persistent: temporary === undefined });
      }
      password = await readPassword(dataDirectory);
    },
    command: async (port) => {
      await writeSettings(location, { ...options.settings, port: String(port) });
      await clearLeftovers(dataDirectory, account);
      return { command: join(binDirectory, 'postgres'), args: ['-D', dataDirectory], account };
    },
    // As in pg_ctl: the postmaster writes its state to the lock file.
    isReady: async (pid) => {
      const lock = await readLockFile(dataDirectory);
      return lock?.pid === pid && kind.readyStates.includes(lock.status);
    },
    killRest: () => killProcesses(dataDirectory, account),
    afterStop: async () => {
      if (temporary) await removeSharedMemory(dataDirectory, account);
    },
    hint: `Programs: ${binDirectory}; data: ${dataDirectory}.`,
  });
  const url = `postgres://postgres:${password}@127.0.0.1:${postgres.port}/postgres`;
  return { postgres: Object.assign(postgres, { url, binDirectory, version, dataDirectory }), account };
}

async function prepareLocation(
  options: PostgresOptions,
): Promise<{ location: ClusterLocation; temporary: string | undefined }> {
  const requested = options.binaries ?? 'auto';
  if (options.dataDirectory === undefined) {
    const account = await serviceAccount();
    const binaries = await findBinaries(requested, account);
    const temporary = await mkdtemp(
      join(await realpath(await temporaryRoot(account)), 'tastegraph-postgres-'),
    );
    if (account) await chown(temporary, account.uid, account.gid);
    return { location: { dataDirectory: join(temporary, 'data'), binaries, account }, temporary };
  }
  await mkdir(dirname(options.dataDirectory), { recursive: true });
  const dataDirectory = join(await realpath(dirname(options.dataDirectory)), basename(options.dataDirectory));
  // Only the major version that wrote the data can read it.
  const major = await findClusterMajor(dataDirectory);
  const account = major === undefined ? await serviceAccount() : await ownerOf(dataDirectory);
  const binaries = await findBinaries(requested, account, major);
  return { location: { dataDirectory, binaries, account }, temporary: undefined };
}

async function writeSettings(
  location: ClusterLocation,
  overrides: Readonly<Record<string, string>>,
): Promise<void> {
  const product = await readProductSettings();
  const settings = { ...product, ...(await machineSettings(location, product)), ...overrides };
  await writeFile(join(location.dataDirectory, 'postgresql.conf'), renderSettings(settings));
}
