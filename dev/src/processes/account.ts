import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Account, run } from './run.ts';

const LOOKUP_LIMIT_MS = 5_000;

/** PostgreSQL refuses to run as root, so root runs it as `postgres` or `nobody`. Other users run it as themselves. */
export async function serviceAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([numberOf('-u', name), numberOf('-g', name)]);
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user `postgres` or `nobody` to run it as. ' +
      'Add one (useradd --system postgres) or run the command as a normal user.',
  );
}

/** Root runs a service on existing data as the owner of the data, who may have started it without root before. */
export async function ownerOf(directory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(directory);
  return uid === 0 ? serviceAccount() : { uid, gid };
}

/** Whether the account can enter the directory and all its parents. */
export async function isReachable(directory: string, account: Account | undefined): Promise<boolean> {
  if (account) {
    // Trying it as that user also covers ACLs and mounts, unlike reading mode bits.
    const script = 'cd "$1" 2>/dev/null';
    return (await run('/bin/sh', ['-c', script, 'sh', directory], { account, limitMs: LOOKUP_LIMIT_MS })).ok;
  }
  return access(directory, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** A directory for temporary files that the account can enter: root's TMPDIR is often closed to other users. */
export async function temporaryRoot(account: Account | undefined): Promise<string> {
  for (const directory of [tmpdir(), '/tmp', '/var/tmp']) {
    if (await isReachable(directory, account)) return directory;
  }
  throw new Error('No temporary directory is accessible. Set TMPDIR to a directory that is.');
}

async function numberOf(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  const { ok, stdout } = await run('id', [flag, name], { limitMs: LOOKUP_LIMIT_MS });
  return ok ? Number(stdout.trim()) : undefined;
}
