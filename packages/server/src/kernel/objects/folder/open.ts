import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rm, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Blocks } from '../blocks.ts';
import { watchBody } from '../body.ts';
import { checkKey, checkList, checkRange, sizeOf } from '../checks.ts';
import { isAbsent, ObjectStoreError } from '../error.ts';
import type { ObjectStore } from '../store.ts';
import { explainDisk, listFolder, moveInto, onDisk, openFile, pruneFolders, syncFolder } from './disk.ts';

export interface FolderOptions {
  /** Created if absent. Must be on one file system, so that a rename within it is atomic. */
  readonly root: string;
  /** See StepLimits. */
  readonly stepMs?: number;
}

/** A healthy disk takes milliseconds per block; a network disk may stall for seconds. */
const STEP_MS = 30_000;
/** Large enough for writes at the disk's full speed; larger blocks only take more memory. */
const BLOCK_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;
/** Never a valid key, and on the same file system as the root. */
const DRAFTS = '.drafts';
/** Abandoned drafts are rare, and a sweep is cheap. */
const SWEEP_EVERY_MS = 10 * 60_000;

export async function openFolderStore(options: FolderOptions): Promise<ObjectStore> {
  const { stepMs = STEP_MS } = options;
  const root = resolve(options.root);
  const drafts = join(root, DRAFTS);
  const pathOf = (key: string) => {
    checkKey(key);
    return join(root, key);
  };
  await onDisk({ stepMs }, `opening ${root}`, () => mkdir(drafts, { recursive: true }));

  let sweptAt = -Infinity;
  const sweep = async () => {
    if (performance.now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = performance.now();
    // A failed sweep only wastes disk space: no reason to fail the write.
    await onDisk({ stepMs }, `sweeping ${drafts}`, () => sweepDrafts(drafts)).catch(() => undefined);
  };
  await sweep();

  return {
    async put(key, source, { signal } = {}) {
      const target = pathOf(key);
      const limits = { stepMs, signal };
      const what = `writing ${key}`;
      await sweep();
      const draft = join(drafts, await nameDraft());
      try {
        const file = await openFile(limits, what, draft, 'wx');
        try {
          const blocks = new Blocks(source, BLOCK_BYTES, limits);
          for await (const block of blocks) await onDisk(limits, what, () => file.writeFile(block));
          await onDisk(limits, what, () => file.sync());
          await onDisk(limits, what, () => moveInto(draft, target));
          return blocks.finish();
        } finally {
          // Bounded, since a hung disk would block forever. The earlier error is the one to report.
          await onDisk({ stepMs }, what, () => file.close()).catch(() => undefined);
        }
      } catch (error) {
        // With a fresh time limit, since the caller's may be used up. A later sweep removes what cannot be removed now.
        await onDisk({ stepMs }, what, () => rm(draft, { force: true })).catch(() => undefined);
        // Here ENOENT means that the drafts folder is missing, not the object.
        if (isAbsent(error))
          throw new ObjectStoreError('unavailable', `the drafts folder of ${root} was removed`, {
            cause: error,
          });
        throw error;
      }
    },

    async read(key, { expect, range, signal } = {}) {
      const limits = { stepMs, signal };
      const what = `reading ${key}`;
      const file = await openFile(limits, what, pathOf(key), 'r');
      try {
        const found = await onDisk(limits, what, () => file.stat());
        if (!found.isFile()) throw new ObjectStoreError('absent', `${what}: not a file`);
        if (range) checkRange(range, found.size);
        const part = range ? { start: range.first, end: range.last } : {};
        const raw = file.createReadStream({ highWaterMark: READ_BYTES, ...part });
        const explain = (error: unknown) => explainDisk(error, what);
        const size = range ? sizeOf(range) : found.size;
        return watchBody({ key, size, raw, expect, explain }, limits);
      } catch (error) {
        void file.close().catch(() => undefined);
        throw error;
      }
    },

    async size(key, { signal } = {}) {
      const path = pathOf(key);
      const found = await onDisk({ stepMs, signal }, `reading the size of ${key}`, () => stat(path));
      if (!found.isFile()) throw new ObjectStoreError('absent', `${key} is not a file`);
      return found.size;
    },

    async delete(key, { signal } = {}) {
      const path = pathOf(key);
      await onDisk({ stepMs, signal }, `deleting ${key}`, async () => {
        await unlink(path);
        await syncFolder(dirname(path));
        await pruneFolders(dirname(path), root);
      }).catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
      });
    },

    async list(prefix, options = {}) {
      const limit = checkList(prefix, options);
      const { after = '', signal } = options;
      return onDisk({ stepMs, signal }, `listing ${prefix}`, () => listFolder(root, prefix, after, limit));
    },

    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A writer on another machine, or an ended thread of a live process, is judged by its last write. No live one pauses this long. */
const SILENT_MS = 6 * 3600_000;

/** Names the writer by machine, process and process start. Only Linux reports the start: without it, only age decides. */
async function nameDraft(): Promise<string> {
  const started = (await startOf(process.pid)) ?? 'unknown';
  return `${await machine()}.${process.pid}.${started}.${randomUUID()}`;
}

/** Removes the drafts of dead writers. A draft that cannot be removed is left for the next sweep. */
async function sweepDrafts(folder: string, now = Date.now()): Promise<void> {
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
