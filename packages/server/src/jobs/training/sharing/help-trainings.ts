import { blockVersion } from '@tastegraph/algorithms';
import { memoryLimit } from '../../../lib/memory.ts';
import { findOfferedStage, releaseBlocks } from '../../../storage/postgres/training-blocks.ts';
import type { WorkerServices } from '../../engine/job-definition.ts';
import type { IdleWork } from '../../engine/run-jobs.ts';
import { runThread } from '../../engine/run-thread.ts';
import { type BlockTask, type HelperResult, type HelperTask, stagePrefix } from './protocol.ts';

const script = new URL('./helper.ts', import.meta.url);
/** The rest is for other jobs of this process, and for the system. */
const memoryShare = 0.5;
/** After a failure, for instance of the store: other workers may do better, and the training computes the rest itself. */
const pauseAfterFailureMs = 30_000;

/**
 * What a worker without a training does: computes blocks of trainings that other workers run. One at a time, with all
 * threads of a training. Ends after the current block when a training waits, or has started in another slot.
 */
export function helpTrainings(worker: WorkerServices): IdleWork {
  const { db, databaseUrl, objects, threads, workerId, lostSeconds } = worker;
  const claimant = { workerId, lostSeconds };
  const helper = { version: blockVersion, memoryBytes: memoryLimit() * memoryShare, threads };
  let isHelping = false;
  let notBefore = 0;

  return async ({ stopping, log, isBusy }) => {
    if (isHelping || performance.now() < notBefore) return false;
    isHelping = true;
    try {
      const offered = await findOfferedStage<BlockTask>(db, claimant, helper);
      if (!offered) return false;
      const { job_key, attempt, job_id, task: example } = offered;
      const stage = { job_key, attempt, stage: offered.stage };
      const { shared, sharedEnd, block } = example;
      const task: HelperTask = {
        ...claimant,
        databaseUrl,
        objects,
        threads,
        stage,
        prefix: stagePrefix(job_id, stage),
        shared,
        sharedEnd,
        end: block.end,
      };
      const start = performance.now();
      const about = { job_id, attempt, stage: offered.stage, kernel: block.kernel };
      log.info(about, 'helping with a training');
      const end = new AbortController();
      const signal = AbortSignal.any([stopping, end.signal]);
      // The thread reports before each block.
      const report = () => {
        if (isBusy()) end.abort(new Error('a training has started in this process'));
      };
      try {
        const context = { signal, report };
        const result = await runThread<HelperResult>({ script, memoryAdvice: '' }, task, context);
        const seconds = (performance.now() - start) / 1000;
        log.info({ ...about, ...result, seconds }, 'helped with a training');
        return true;
      } catch (error) {
        // If it fails, the training takes the block over.
        await releaseBlocks(db, stage, workerId).catch(() => undefined);
        if (signal.aborted) return false;
        notBefore = performance.now() + pauseAfterFailureMs;
        log.warn({ err: error, ...about }, 'failed to help with a training: others compute its blocks');
        return false;
      }
    } finally {
      isHelping = false;
    }
  };
}
