import { mkdir, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Blocks } from '../blocks.ts';
import { watchBody } from '../body.ts';
import { checkDownload, signDownload, verifyDownload } from '../download.ts';
import { isAbsent, ObjectStoreError } from '../error.ts';
import { checkKey, checkList } from '../keys.ts';
import { checkRange, sizeOf } from '../range.ts';
import type { ObjectStore } from '../store.ts';
import { explainDisk, moveInto, onDisk, openFile, pruneFolders, syncFolder } from './disk.ts';
import { nameDraft, sweepDrafts } from './drafts.ts';
import { listFolder } from './listing.ts';

export interface FolderOptions {
  /** Made when absent. All of it on one disk: what is written moves into place within it. */
  readonly root: string;
  /** See StepLimits. */
  readonly stepMs?: number;
  readonly downloads: {
    /** Where the route is that answers to what verifyDownload() verifies; keys follow it after a slash. */
    readonly baseUrl: string;
    /** The same in all processes, at least 32 random characters. */
    readonly secret: string;
  };
}

/** A disk that answers takes milliseconds for a block; one behind a network may stumble for seconds. */
const STEP_MS = 30_000;
/** Writes of this size run at the disk's speed; larger ones are not faster, only larger. */
const BLOCK_BYTES = 1024 * 1024;
const READ_BYTES = 256 * 1024;
/** Hidden from keys, and on the disk of the root. */
const DRAFTS = '.drafts';
/** Leftovers are rare, and looking for them is cheap. */
const SWEEP_EVERY_MS = 10 * 60_000;

export async function openFolderStore(options: FolderOptions): Promise<ObjectStore> {
  const { stepMs = STEP_MS, downloads } = options;
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
    // It matters to the next writer's space only: no reason to fail.
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
          // On a disk that hangs this would wait for ever; the error to report is then the one before.
          await onDisk({ stepMs }, what, () => file.close()).catch(() => undefined);
        }
      } catch (error) {
        // By its own time: the caller's may be over. What cannot be removed now is swept later.
        await onDisk({ stepMs }, what, () => rm(draft, { force: true })).catch(() => undefined);
        // The drafts' folder is gone, not the object.
        if (isAbsent(error))
          throw new ObjectStoreError('unavailable', `${root} was removed`, { cause: error });
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
      const found = await onDisk({ stepMs, signal }, `looking at ${key}`, () => stat(path));
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

    async presign(key, download) {
      checkKey(key);
      checkDownload(download);
      const { expires, name, type, signature } = signDownload(key, download, downloads.secret);
      return `${downloads.baseUrl}/${key}?${new URLSearchParams({ expires, name, type, signature }).toString()}`;
    },

    verify: (parts) => verifyDownload(parts, downloads.secret),

    [Symbol.asyncDispose]: async () => undefined,
  };
}
