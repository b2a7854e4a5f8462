import { chown, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ownerOf, serviceAccount, temporaryRoot } from '../processes/account.ts';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
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

/** `pid` is the postmaster's; kill() ends its children too. restart() keeps the data. */
export interface PrivatePostgres extends PrivateService {
  /** With the password, which is random. */
  readonly url: string;
  readonly binDirectory: string;
  readonly version: string;
  readonly dataDirectory: string;
}

// A crash may leave up to max_wal_size (16 GB) to replay. A start that fails is seen at once; this is for one that hangs.
const START_LIMIT_MS = 5 * 60_000;
// A fast shutdown rolls back open transactions and writes all of shared_buffers (2 GB) at worst; an immediate one writes nothing.
const STOP_STEPS = [
  { signal: 'SIGINT', limitMs: 60_000 },
  { signal: 'SIGQUIT', limitMs: 10_000 },
] as const;

export async function startPostgres(options: PostgresOptions = {}): Promise<PrivatePostgres> {
  const { place, temporary } = await preparePlace(options);
  const { dataDirectory, binaries, account } = place;
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
        await createCluster({ dataDirectory, binaries, account, kept: temporary === undefined });
      }
      password = await readPassword(dataDirectory);
    },
    command: async (port) => {
      await writeSettings(place, { ...options.settings, port: String(port) });
      await clearLeftovers(dataDirectory, account);
      return { command: join(binDirectory, 'postgres'), args: ['-D', dataDirectory], account };
    },
    // As pg_ctl understands it: the postmaster itself writes the word into its lock file.
    isReady: async (pid) => {
      const lock = await readLockFile(dataDirectory);
      return lock?.pid === pid && lock.status === 'ready';
    },
    killRest: () => killProcesses(dataDirectory, account),
    afterStop: async () => {
      if (temporary) await removeSharedMemory(dataDirectory, account);
    },
    hint: `Its programs: ${binDirectory}; its data: ${dataDirectory}.`,
  });
  return Object.assign(postgres, {
    url: `postgres://postgres:${password}@127.0.0.1:${postgres.port}/postgres`,
    binDirectory,
    version,
    dataDirectory,
  });
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
