import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * A writer on another machine with the same shared folder, or a thread that ended while its process lives on, can only
 * be judged by its last write. No live writer pauses this long.
 */
const SILENT_MS = 6 * 3600_000;

/**
 * The name identifies the writer: machine, process and process start. `unknown` where the system does not report the
 * start (only Linux does): then only age decides.
 */
export async function nameDraft(): Promise<string> {
  const started = (await startOf(process.pid)) ?? 'unknown';
  return `${await machine()}.${process.pid}.${started}.${randomUUID()}`;
}

/** Removes the drafts of dead writers. A draft that cannot be removed is left for the next sweep. */
export async function sweepDrafts(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (await isAbandoned(path, name, now)) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function isAbandoned(path: string, name: string, now: number): Promise<boolean> {
  const [where, pid, started] = name.split('.');
  const isKnown = where === (await machine()) && started !== 'unknown';
  if (isKnown && (await startOf(Number(pid))) !== started) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
  return now - mtimeMs > SILENT_MS;
}

/** The PID namespace is part of it: containers may share a folder but not their process IDs. */
async function machine(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 16);
}

/** In clock ticks since boot. Tells a reused process ID from the old process. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Field 2, the program's name in parentheses, may contain anything; the start time is field 22.
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}
