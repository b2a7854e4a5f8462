import { dropResult } from '../jobs/rows/results.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import { dropSnapshot } from '../projects/rows/models.ts';
import type { Services } from '../services.ts';
import { resultContains, snapshotContains } from './contains-user.ts';
import { eraseDecisions, hasEarlierBatches } from './erase-decisions.ts';
import { eraseRecords } from './erase-records.ts';
import {
  claimErasure,
  type ErasedFile,
  endStage,
  findNextResult,
  findNextSnapshot,
  hasEarlierJobs,
  hasFilesLeft,
  type RunningErasure,
  releaseErasure,
  saveErasureStep,
} from './rows.ts';

/** Duration of a claim, and the longest that one step deletes records. */
const claimSeconds = 60;
const recordsMs = 10_000;
/** Pause of an erasure that waits for jobs or files. */
const waitSeconds = 2;

type ErasureContext = Pick<Services, 'db' | 'store' | 'stopping' | 'log' | 'hooks' | 'hasUserIdFields'>;

/** Runs the erasures of users step by step. Safe to run in several workers. */
export function eraseUsers(context: ErasureContext): TaskStep {
  const { db, log } = context;
  return async () => {
    const erasure = await claimErasure(db, claimSeconds);
    if (!erasure) return false;
    const { erasure_id, account_id } = erasure;
    const mustWait = await takeStep(context, erasure);
    await releaseErasure(db, erasure_id, mustWait ? waitSeconds : 0);
    if (erasure.stage === 'FILES' && !mustWait) log.info({ erasure_id, account_id }, 'erased a user');
    return true;
  };
}

/** Returns whether the erasure must wait. */
async function takeStep(context: ErasureContext, erasure: RunningErasure): Promise<boolean> {
  const { db, stopping } = context;
  switch (erasure.stage) {
    case 'RECORDS': {
      const end = performance.now() + recordsMs;
      await eraseRecords(db, erasure, () => stopping.aborted || performance.now() > end);
      return false;
    }
    case 'SNAPSHOTS': {
      // Before the first snapshot: a job that is still running may publish one, which must be checked too.
      if (erasure.position === 0 && (await hasEarlierJobs(db, erasure))) return true;
      // Jobs that start from now on no longer see the user. The next stage waits for those that started before.
      if (erasure.position === 0) await context.hooks.forgetUser(db, erasure);
      const snapshot = await findNextSnapshot(db, erasure);
      const hasUser = snapshot && (await snapshotContains(context, snapshot, erasure.user_id));
      await finishFile(context, erasure, snapshot, (tx, file) =>
        hasUser ? dropSnapshot(tx, erasure.account_id, file) : undefined,
      );
      return false;
    }
    case 'RESULTS': {
      if (erasure.position === 0 && (await hasEarlierJobs(db, erasure))) return true;
      const result = await findNextResult(db, erasure);
      const hasUser = result && (await resultContains(context, result, erasure.user_id));
      await finishFile(context, erasure, result, (tx, { key }) =>
        hasUser ? dropResult(tx, erasure.account_id, key) : undefined,
      );
      return false;
    }
    case 'DECISIONS': {
      if (erasure.position === 0 && (await hasEarlierBatches(context, erasure))) return true;
      if (!(await eraseDecisions(context, erasure))) await endStage(db, erasure, 'DECISIONS');
      return false;
    }
    case 'FILES': {
      if (await hasFilesLeft(db, erasure)) return true;
      await endStage(db, erasure, 'FILES');
      return false;
    }
    case 'DONE':
      return false;
  }
}

/** Moves past this file, or to the next stage after the last one. */
async function finishFile<File extends Pick<ErasedFile, 'key' | 'project_id'>>(
  { db }: ErasureContext,
  erasure: RunningErasure,
  file: File | undefined,
  drop: (tx: Queryable, file: File) => Promise<string[]> | undefined,
): Promise<void> {
  const kind = erasure.stage;
  if (kind !== 'SNAPSHOTS' && kind !== 'RESULTS') return;
  if (!file) {
    await endStage(db, erasure, kind);
    return;
  }
  await db.transaction(async (tx) => {
    const objectKeys = (await drop(tx, file)) ?? [];
    const step = { position: file.key, kind, where: file.project_id, objectKeys };
    await saveErasureStep(tx, erasure, { ...step, count: objectKeys.length > 0 ? 1 : 0 });
  });
}
