import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isReachable } from '../processes/account.ts';
import { failure } from '../processes/log.ts';
import { type Account, run } from '../processes/run.ts';
import type { Binaries } from './binaries.ts';

const PASSWORD_FILE = 'tastegraph.password';
// Under a second with a local disk; a network disk that syncs every file takes its time.
const INITDB_LIMIT_MS = 120_000;

/** The major version a data directory was made by; undefined when it holds no data yet. */
export async function findClusterMajor(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDirectory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${dataDirectory} cannot be read: another user made it, perhaps root. Remove it, or make it yours (chown -R).`,
      { cause: error },
    );
  }
}

export async function readPassword(dataDirectory: string): Promise<string> {
  try {
    return (await readFile(join(dataDirectory, PASSWORD_FILE), 'utf8')).trim();
  } catch (error) {
    throw new Error(
      `${dataDirectory} holds a PostgreSQL that this user did not make with Tastegraph. ` +
        'Use another directory, or remove it if its data is not needed.',
      { cause: error },
    );
  }
}

export interface NewCluster {
  readonly dataDirectory: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Data that will be kept is flushed to the disk; temporary data need not be. */
  readonly kept: boolean;
}

/** Makes a data directory in one step: one that exists is complete, whatever interrupted its making. */
export async function createCluster({ dataDirectory, binaries, account, kept }: NewCluster): Promise<void> {
  await refuseForeign(dataDirectory);
  const draft = `${dataDirectory}.new`;
  const passwordFile = `${draft}.password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  if (account) {
    await chown(draft, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  if (!(await isReachable(draft, account))) {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
    throw new Error(
      `PostgreSQL cannot run as root, and the user it runs as cannot enter ${dirname(dataDirectory)}. ` +
        'Choose a data directory whose parents are open to all (chmod a+x).',
    );
  }
  await runInitdb({ dataDirectory: draft, binaries, account, kept }, passwordFile);
  // Beside the data it opens, for the next start; the directory is closed to others.
  await rename(passwordFile, join(draft, PASSWORD_FILE));
  await rename(draft, dataDirectory);
}

async function runInitdb(
  { dataDirectory, binaries, account, kept }: NewCluster,
  passwordFile: string,
): Promise<void> {
  const args = [
    ['-D', dataDirectory],
    ['-U', 'postgres'],
    // The same order of text on every machine; C is also the fastest.
    ['--encoding=UTF8', '--locale=C'],
    // Other users of the machine reach 127.0.0.1 too.
    ['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ['--no-instructions', ...(kept ? [] : ['--no-sync'])],
  ].flat();
  const initdb = join(binaries.binDirectory, 'initdb');
  const { ok, reason, stdout, stderr } = await run(initdb, args, { account, limitMs: INITDB_LIMIT_MS });
  if (ok) return;
  await rm(dataDirectory, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  const said = `${stdout}${stderr}`.trim().split('\n').slice(-20);
  throw failure(
    `initdb of PostgreSQL ${binaries.version} failed (${reason}).`,
    said,
    'mend what it says and start again.',
  );
}

async function refuseForeign(dataDirectory: string): Promise<void> {
  const entries = await readdir(dataDirectory).catch(() => []);
  if (entries.length === 0) return;
  throw new Error(`${dataDirectory} is not empty and holds no PostgreSQL data. Name another data directory.`);
}
