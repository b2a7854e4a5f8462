import { setTimeout as sleep } from 'node:timers/promises';
import { bytesAt, KernelMemory, runBlock, sharedRange } from '@tastegraph/algorithms';
import { startThreads } from '@tastegraph/algorithms/threads';
import { openObjectStore } from '../../../storage/objects/open.ts';
import type { ObjectStore } from '../../../storage/objects/store.ts';
import { type Database, openDatabase } from '../../../storage/postgres/pool.ts';
import {
  type ClaimedBlock,
  claimBlock,
  completeBlock,
  findStageState,
} from '../../../storage/postgres/training-blocks.ts';
import { runThreadWork, type ThreadContext } from '../../engine/thread-work.ts';
import { writeUnpublished } from '../../engine/write-unpublished.ts';
import { loadRanges } from './block-objects.ts';
import type { BlockTask, HelperResult, HelperTask } from './protocol.ts';

/** How soon a helper notices a new block. */
const pauseMs = 100;
/** A stage without a block for this long has none for a helper: others may. */
const maxIdleMs = 10_000;

/** The thread that computes blocks of one stage until there are no more, or until a training waits for this worker. */
async function run(task: HelperTask, { signal, report }: ThreadContext): Promise<HelperResult> {
  const { stage, shared, sharedEnd } = task;
  const db = openDatabase({ url: task.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  const threads = startThreads(task.threads);
  const total = { blocks: 0, bytesRead: shared.size, bytesWritten: 0 };
  try {
    await using store = await openObjectStore(task.objects);
    const memory = new KernelMemory();
    memory.reserve(task.end);
    await loadRanges(store, shared, memory, [sharedRange(sharedEnd)], signal);
    /** The previous result, which is written while the next one is computed. */
    let writing: Promise<number> = Promise.resolve(0);
    let idleSince = performance.now();
    for (;;) {
      report('helping', 0, '');
      const { is_needed, is_open } = await findStageState(db, stage);
      if (is_needed || !is_open) break;
      const claimed = await claimBlock<BlockTask>(db, stage, task);
      if (!claimed) {
        if (performance.now() - idleSince > maxIdleMs) break;
        await sleep(pauseMs, undefined, { signal });
        continue;
      }
      const { block, input } = claimed.task;
      await loadRanges(store, input, memory, block.reads, signal);
      await runBlock(memory, block, threads);
      const output = block.writes.map((range) => bytesAt(memory, range).slice());
      total.bytesWritten += await writing;
      writing = write({ db, store, signal }, task, claimed, output);
      // Awaited in the next round; until then, a failure is not unhandled.
      writing.catch(() => undefined);
      total.blocks++;
      total.bytesRead += input.size;
      idleSince = performance.now();
    }
    total.bytesWritten += await writing;
    return total;
  } finally {
    await threads.close();
    await db.close();
  }
}

interface WriteContext {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly signal: AbortSignal;
}

/** Writes a result. It is discarded if the claim is void by then. */
async function write(
  { db, store, signal }: WriteContext,
  { stage, prefix }: HelperTask,
  { block, claim }: ClaimedBlock<BlockTask>,
  output: readonly Uint8Array[],
): Promise<number> {
  // A key per claim: a worker that lost the block may still write its own.
  const object_key = `${prefix}${block}-out-${claim}.tgb`;
  const put = () => store.put(object_key, output, { signal });
  const { written, discard } = await writeUnpublished(db, [object_key], stage, put);
  if (!(await completeBlock(db, stage, { block, claim }, { object_key, ...written }))) await discard();
  return written.size;
}

await runThreadWork(run);
