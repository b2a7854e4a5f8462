import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone } from '../processes/alive.ts';
import { type Account, run } from '../processes/run.ts';
import { waitUntil } from '../processes/wait.ts';

const LIST_LIMIT_MS = 10_000;
// The kernel frees 2 GB of shared memory within this, even when the machine is busy.
const GONE_LIMIT_MS = 20_000;
const STOPPING_LIMIT_MS = 2_000;
// A fast shutdown writes all of shared_buffers.
const STOPPED_LIMIT_MS = 60_000;

export interface LockFile {
  readonly pid: number;
  readonly sharedMemoryId: string | undefined;
  readonly status: string;
}

/** `postmaster.pid`: line 1 the process, line 7 key and id of its shared memory, line 8 its state (`ready`). */
export async function readLockFile(dataDirectory: string): Promise<LockFile | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, sharedMemoryId: lines[6]?.trim().split(/\s+/)[1], status: lines[7]?.trim() ?? '' };
}

/** Every process of the server on this data directory, also those that outlived their postmaster. */
export async function listProcesses(dataDirectory: string, account: Account | undefined): Promise<number[]> {
  const directory = await realpath(dataDirectory);
  if (process.platform !== 'linux') return listByParent((await readLockFile(dataDirectory))?.pid);
  // All of them work in the data directory. Only their own user may see that: root in a container may not.
  const { stdout } = await run('/bin/sh', ['-c', 'ls -l /proc/[0-9]*/cwd 2>/dev/null'], {
    account,
    limitMs: LIST_LIMIT_MS,
  });
  const pids = stdout.split('\n').flatMap((line) => {
    const [, pid, cwd] = /\/proc\/(\d+)\/cwd -> (.*)$/.exec(line) ?? [];
    return pid && cwd === directory ? [Number(pid)] : [];
  });
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  // A developer's shell may stand in the directory as well.
  return pids.filter((_, index) => names[index]?.startsWith('postgres'));
}

async function listByParent(postmaster: number | undefined): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'ucomm='], {
    limitMs: LIST_LIMIT_MS,
  });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, name] = line.trim().split(/\s+/);
    const belongs = Number(pid) === postmaster || Number(parent) === postmaster;
    return postmaster && belongs && name?.startsWith('postgres') ? [Number(pid)] : [];
  });
}

/** SIGKILL to the postmaster and all its children, as a power cut would do; returns when all are gone. */
export async function killProcesses(dataDirectory: string, account: Account | undefined): Promise<void> {
  const postmaster = (await readLockFile(dataDirectory))?.pid;
  const running = await listProcesses(dataDirectory, account);
  // Stopped first, so that it starts no child after the list was made.
  if (postmaster && running.includes(postmaster)) send(postmaster, 'SIGSTOP');
  const pids = await listProcesses(dataDirectory, account);
  for (const pid of pids) send(pid, 'SIGKILL');
  const gone = await waitUntil(async () => (await Promise.all(pids.map(isGone))).every(Boolean), {
    limitMs: GONE_LIMIT_MS,
  });
  if (!gone)
    throw new Error(`Processes ${pids.join(', ')} of PostgreSQL do not end. See: ps -o stat,wchan -p <pid>`);
}

/**
 * After a crash: ends the orphans, which hold the shared memory, and removes a lock file whose process number may belong
 * to somebody else by now (usual in containers). A server that is on its way down is waited for.
 */
export async function clearLeftovers(dataDirectory: string, account: Account | undefined): Promise<void> {
  const first = await readLockFile(dataDirectory);
  if (!first) return;
  const started = performance.now();
  const settled = await waitUntil(
    async () => {
      const lock = await readLockFile(dataDirectory);
      if (!lock || !(await listProcesses(dataDirectory, account)).includes(lock.pid)) return true;
      // The guard of a run that was killed needs a moment to tell it to stop; one that stays up is somebody's.
      if (lock.status !== 'stopping' && performance.now() - started > STOPPING_LIMIT_MS)
        throw inUse(dataDirectory, lock);
      return false;
    },
    { limitMs: STOPPED_LIMIT_MS, everyMs: 100 },
  );
  if (!settled) throw inUse(dataDirectory, first);
  await killProcesses(dataDirectory, account);
  await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
}

function inUse(dataDirectory: string, { pid }: LockFile): Error {
  return new Error(
    `PostgreSQL already runs on ${dataDirectory} (process ${pid}). ` +
      'Stop what started it, perhaps another `npm run dev`, or use another data directory.',
  );
}

/** A killed server leaves its segment behind; the next start takes it over, but when the data goes nobody would. */
export async function removeSharedMemory(dataDirectory: string, account: Account | undefined): Promise<void> {
  const id = (await readLockFile(dataDirectory))?.sharedMemoryId;
  if (id) await run('ipcrm', ['-m', id], { account, limitMs: LIST_LIMIT_MS });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone, which is what is wanted.
  }
}
