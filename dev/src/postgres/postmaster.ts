import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasExited } from '../processes/has-exited.ts';
import { type Account, run } from '../processes/run.ts';
import { waitUntil } from '../processes/wait.ts';

const LIST_LIMIT_MS = 10_000;
// Enough for the kernel to free 2 GB of shared memory, even on a busy machine.
const EXIT_LIMIT_MS = 20_000;
const STOPPING_LIMIT_MS = 2_000;
// A fast shutdown writes all of shared_buffers.
const STOPPED_LIMIT_MS = 60_000;

export interface LockFile {
  readonly pid: number;
  readonly sharedMemoryId: string | undefined;
  readonly status: string;
}

/** `postmaster.pid`: line 1 is the process, line 7 the key and ID of its shared memory, line 8 its state (`ready`). */
export async function readLockFile(dataDirectory: string): Promise<LockFile | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  return { pid, sharedMemoryId: lines[6]?.trim().split(/\s+/)[1], status: lines[7]?.trim() ?? '' };
}

/** All processes of the server on this data directory, including those that outlived their postmaster. */
export async function listProcesses(dataDirectory: string, account: Account | undefined): Promise<number[]> {
  const directory = await realpath(dataDirectory);
  if (process.platform !== 'linux') return listByParent((await readLockFile(dataDirectory))?.pid);
  // Their working directory is the data directory. Only their own user can read it: root in a container cannot.
  const { stdout } = await run('/bin/sh', ['-c', 'ls -l /proc/[0-9]*/cwd 2>/dev/null'], {
    account,
    limitMs: LIST_LIMIT_MS,
  });
  const pids = stdout.split('\n').flatMap((line) => {
    const [, pid, cwd] = /\/proc\/(\d+)\/cwd -> (.*)$/.exec(line) ?? [];
    return pid && cwd === directory ? [Number(pid)] : [];
  });
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  // A shell may have the same working directory.
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

/** Sends SIGKILL to the postmaster and all its children, like a power cut. Returns when all are gone. */
export async function killProcesses(dataDirectory: string, account: Account | undefined): Promise<void> {
  const postmaster = (await readLockFile(dataDirectory))?.pid;
  const running = await listProcesses(dataDirectory, account);
  // Stopped first, so that it cannot start children after the processes were listed.
  if (postmaster && running.includes(postmaster)) sendSignal(postmaster, 'SIGSTOP');
  const pids = await listProcesses(dataDirectory, account);
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  const gone = await waitUntil(async () => (await Promise.all(pids.map(hasExited))).every(Boolean), {
    limitMs: EXIT_LIMIT_MS,
  });
  if (!gone)
    throw new Error(
      `PostgreSQL processes ${pids.join(', ')} do not exit. To see what they wait for, run: ps -o stat,wchan -p <pid>`,
    );
}

/**
 * Cleans up after a crash: kills orphans, which hold the shared memory, and removes the lock file, whose process ID may
 * belong to another process by now (common in containers). Waits for a server that is shutting down.
 */
export async function clearLeftovers(dataDirectory: string, account: Account | undefined): Promise<void> {
  const first = await readLockFile(dataDirectory);
  if (!first) return;
  const started = performance.now();
  const settled = await waitUntil(
    async () => {
      const lock = await readLockFile(dataDirectory);
      if (!lock || !(await listProcesses(dataDirectory, account)).includes(lock.pid)) return true;
      // The guard of a killed run needs a moment to stop the server. If it keeps running, it is in use.
      if (lock.status !== 'stopping' && performance.now() - started > STOPPING_LIMIT_MS)
        throw inUseError(dataDirectory, lock);
      return false;
    },
    { limitMs: STOPPED_LIMIT_MS, everyMs: 100 },
  );
  if (!settled) throw inUseError(dataDirectory, first);
  await killProcesses(dataDirectory, account);
  await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
}

function inUseError(dataDirectory: string, { pid }: LockFile): Error {
  return new Error(
    `PostgreSQL is already running with ${dataDirectory} (process ${pid}). ` +
      'Stop it (another `dev` may have started it), or use another data directory.',
  );
}

/** A killed server leaves its shared memory segment behind. Without its data, no later start would reuse it. */
export async function removeSharedMemory(dataDirectory: string, account: Account | undefined): Promise<void> {
  const id = (await readLockFile(dataDirectory))?.sharedMemoryId;
  if (id) await run('ipcrm', ['-m', id], { account, limitMs: LIST_LIMIT_MS });
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}
