import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { findClusterMajor } from '../postgres/cluster.ts';
import { isReachable, serviceAccount } from '../processes/account.ts';
import type { Closers } from '../processes/closers.ts';
import { startGuard } from '../processes/guard.ts';

export const REPO = resolve(import.meta.dirname, '../../..');

/** Where a run keeps its files. */
export interface Workplace {
  readonly serverLog: string;
  readonly logDirectory: string;
  /** Models and results. */
  readonly objects: string;
  /** Undefined: nothing is kept. */
  readonly kept: { readonly credentials: string; readonly postgres: string } | undefined;
}

/** `.dev` in the repo: a developer's data survives, and is found. */
export async function openWorkplace(): Promise<Workplace> {
  const directory = join(REPO, '.dev');
  await mkdir(directory, { recursive: true });
  return {
    serverLog: join(directory, 'server.log'),
    logDirectory: directory,
    objects: join(directory, 'objects'),
    kept: { credentials: join(directory, 'credentials.json'), postgres: await placeForPostgres(directory) },
  };
}

/** A directory of its own, so that several runs at once do not meet; gone at the end, however it ends. */
export async function makeTemporaryWorkplace(closers: Closers): Promise<Workplace> {
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
  return { serverLog: join(directory, 'server.log'), logDirectory: directory, objects, kept: undefined };
}

/**
 * Root's PostgreSQL runs as another user, who may be unable to enter the repo (in /root, say). The data then lives where
 * system services keep theirs, one directory for each checkout.
 */
async function placeForPostgres(directory: string): Promise<string> {
  const usual = join(directory, 'postgres');
  if (process.getuid?.() !== 0) return usual;
  // A developer who worked without root before finds the same data as root.
  if ((await findClusterMajor(usual)) !== undefined) return usual;
  // The umask may have closed it. What is secret in it is closed by itself.
  await chmod(directory, 0o755);
  if (await isReachable(directory, await serviceAccount())) return usual;
  const name = createHash('sha256').update(REPO).digest('hex').slice(0, 12);
  const elsewhere = join('/var/lib/tastegraph-dev', name);
  await mkdir(elsewhere, { recursive: true, mode: 0o755 });
  return join(elsewhere, 'postgres');
}

/** As a person in the repo would name it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
