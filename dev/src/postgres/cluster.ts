import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isReachable } from '../processes/account.ts';
import { serviceError } from '../processes/log.ts';
import { type Account, run } from '../processes/run.ts';
import type { Binaries } from './binaries.ts';

const PASSWORD_FILE = 'tastegraph.password';
// Under a second on a local disk; much longer on a network disk that syncs every file.
const INITDB_LIMIT_MS = 120_000;

/** The major version that created the data directory; undefined if it has no data yet. */
export async function findClusterMajor(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDirectory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${dataDirectory} cannot be read: it belongs to another user, perhaps root. Delete it, or change its owner with chown -R.`,
      { cause: error },
    );
  }
}

export async function readPassword(dataDirectory: string): Promise<string> {
  try {
    return (await readFile(join(dataDirectory, PASSWORD_FILE), 'utf8')).trim();
  } catch (error) {
    throw new Error(
      `${dataDirectory} contains PostgreSQL data that Tastegraph did not create for this user. ` +
        'Use another directory, or delete this one if you do not need its data.',
      { cause: error },
    );
  }
}

export interface NewCluster {
  readonly dataDirectory: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Persistent data is flushed to disk; temporary data is not. */
  readonly persistent: boolean;
}

/** Creates a data directory atomically: if it exists, it is complete. */
export async function createCluster({
  dataDirectory,
  binaries,
  account,
  persistent,
}: NewCluster): Promise<void> {
  await checkEmpty(dataDirectory);
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
        'Use a data directory whose parent directories all users can enter (chmod a+x).',
    );
  }
  await runInitdb({ dataDirectory: draft, binaries, account, persistent }, passwordFile);
  // Kept with the data for the next start; other users cannot enter the directory.
  await rename(passwordFile, join(draft, PASSWORD_FILE));
  await rename(draft, dataDirectory);
}

async function runInitdb(
  { dataDirectory, binaries, account, persistent }: NewCluster,
  passwordFile: string,
): Promise<void> {
  const args = [
    ['-D', dataDirectory],
    ['-U', 'postgres'],
    // Text sorts the same on every machine; C is also the fastest locale.
    ['--encoding=UTF8', '--locale=C'],
    // Other users of the machine can connect to 127.0.0.1 too.
    ['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ['--no-instructions', ...(persistent ? [] : ['--no-sync'])],
  ].flat();
  const initdb = join(binaries.binDirectory, 'initdb');
  const { ok, reason, stdout, stderr } = await run(initdb, args, { account, limitMs: INITDB_LIMIT_MS });
  if (ok) return;
  await rm(dataDirectory, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  const lines = `${stdout}${stderr}`.trim().split('\n').slice(-20);
  throw serviceError(
    `initdb of PostgreSQL ${binaries.version} failed (${reason}).`,
    lines,
    'fix the cause and start again.',
  );
}

async function checkEmpty(dataDirectory: string): Promise<void> {
  const entries = await readdir(dataDirectory).catch(() => []);
  if (entries.length === 0) return;
  throw new Error(
    `${dataDirectory} is not empty and contains no PostgreSQL data. Use another data directory.`,
  );
}
