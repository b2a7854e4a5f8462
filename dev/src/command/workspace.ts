import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { findClusterMajor } from '../postgres/cluster.ts';
import { isReachable, serviceAccount } from '../processes/account.ts';
import type { Closers } from '../processes/closers.ts';
import { startGuard } from '../processes/guard.ts';
import { DATA_DIRECTORY } from './place.ts';

/** Has the URL of the last run of `npm run dev`, for commands that use its server. */
export const URL_FILE = join(DATA_DIRECTORY, 'url');

/** The files of a run. */
export interface Workspace {
  readonly serverLog: string;
  readonly logDirectory: string;
  /** Models and results. */
  readonly objects: string;
  /** Undefined for an ephemeral run. */
  readonly persistent: { readonly credentials: string; readonly postgres: string } | undefined;
}

/** Keeps data between runs. */
export async function openWorkspace(): Promise<Workspace> {
  const directory = DATA_DIRECTORY;
  await mkdir(directory, { recursive: true });
  // It may be in a repository of the user, who must not commit it by accident.
  await writeFile(join(directory, '.gitignore'), '*\n');
  return {
    serverLog: join(directory, 'server.log'),
    logDirectory: directory,
    objects: join(directory, 'objects'),
    persistent: {
      credentials: join(directory, 'credentials.json'),
      postgres: await postgresDataDirectory(directory),
    },
  };
}

/** Creates a temporary directory, so that concurrent runs do not conflict. It is removed however the run ends. */
export async function createTemporaryWorkspace(closers: Closers): Promise<Workspace> {
  const directory = await mkdtemp(join(tmpdir(), 'tastegraph-dev-'));
  const guard = startGuard([], directory);
  closers.add({
    name: 'temporary files',
    limitMs: 10_000,
    close: async () => {
      await rm(directory, { recursive: true, force: true });
      guard.dismiss();
    },
  });
  const objects = join(directory, 'objects');
  return {
    serverLog: join(directory, 'server.log'),
    logDirectory: directory,
    objects,
    persistent: undefined,
  };
}

/** Root runs PostgreSQL as another user. If that one cannot enter the directory, the data is below /var/lib, per clone. */
async function postgresDataDirectory(directory: string): Promise<string> {
  const usual = join(directory, 'postgres');
  if (process.getuid?.() !== 0) return usual;
  // Keep using data that was created without root.
  if ((await findClusterMajor(usual)) !== undefined) return usual;
  // The umask may have restricted the directory. Secret files in it have their own permissions.
  await chmod(directory, 0o755);
  if (await isReachable(directory, await serviceAccount())) return usual;
  const name = createHash('sha256').update(dirname(directory)).digest('hex').slice(0, 12);
  const elsewhere = join('/var/lib/tastegraph-dev', name);
  await mkdir(elsewhere, { recursive: true, mode: 0o755 });
  return join(elsewhere, 'postgres');
}

/** The path relative to the current directory, if it is inside it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
