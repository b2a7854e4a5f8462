import { access, constants, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Account, run } from './run.ts';

const LOOKUP_LIMIT_MS = 5_000;

/** PostgreSQL refuses to run as root: root lends it to `postgres`, or to `nobody`. Others run it as themselves. */
export async function serviceAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([numberOf('-u', name), numberOf('-g', name)]);
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as. ' +
      'Add one (useradd --system postgres) or work as a normal user.',
  );
}

/** Root runs a service on kept data as whoever owns the data, be it a developer who started it without root before. */
export async function ownerOf(directory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(directory);
  return uid === 0 ? serviceAccount() : { uid, gid };
}

/** Whether the account can go into the directory, through all those above it. */
export async function isReachable(directory: string, account: Account | undefined): Promise<boolean> {
  if (account) {
    // Asking the kernel as that user is right for ACLs and mounts too, which reading mode bits is not.
    const script = 'cd "$1" 2>/dev/null';
    return (await run('/bin/sh', ['-c', script, 'sh', directory], { account, limitMs: LOOKUP_LIMIT_MS })).ok;
  }
  return access(directory, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** A directory for temporary files that the account can reach: root's own TMPDIR is often closed to others. */
export async function temporaryRoot(account: Account | undefined): Promise<string> {
  for (const directory of [tmpdir(), '/tmp', '/var/tmp']) {
    if (await isReachable(directory, account)) return directory;
  }
  throw new Error('No directory for temporary files can be reached. Set TMPDIR to one that can.');
}

async function numberOf(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  const { ok, stdout } = await run('id', [flag, name], { limitMs: LOOKUP_LIMIT_MS });
  return ok ? Number(stdout.trim()) : undefined;
}
