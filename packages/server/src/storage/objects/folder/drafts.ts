import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Of a writer elsewhere, on a shared folder, we only see when it last wrote; as of a thread that was ended in a process that
 * lives on. None is silent for so long and then goes on.
 */
const SILENT_MS = 6 * 3600_000;

/**
 * A draft's name says who writes it: machine, process, and when that started. `unknown` where the system does not tell (only
 * Linux does): then only time tells.
 */
export async function nameDraft(): Promise<string> {
  const started = (await startOf(process.pid)) ?? 'unknown';
  return `${await machine()}.${process.pid}.${started}.${randomUUID()}`;
}

/** Removes what writers that are dead left behind. A draft that cannot be removed is left for the next time. */
export async function sweepDrafts(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (await isLeft(path, name, now)) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function isLeft(path: string, name: string, now: number): Promise<boolean> {
  const [where, pid, started] = name.split('.');
  const isKnown = where === (await machine()) && started !== 'unknown';
  if (isKnown && (await startOf(Number(pid))) !== started) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
  return now - mtimeMs > SILENT_MS;
}

/** Containers share a folder but not their process numbers, which are those of a namespace. */
async function machine(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 16);
}

/** In ticks since the machine started; with it, a process number that was given out again is not taken for the old one's. */
async function startOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program's name, in brackets, and may hold anything; the start is the 22nd.
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}
