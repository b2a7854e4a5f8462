import { limits } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { eraseRecords } from './erase-records.ts';
import {
  countRunningErasures,
  type ErasureRow,
  findErasure,
  releaseErasure,
  startErasure,
} from './rows/erasures.ts';

/** After this time a call leaves the remaining records to a worker. */
const callMs = 10_000;
/** A worker resumes the erasure of a call that died after this time. */
const leaseSeconds = 30;

/**
 * Deletes the user's records; a worker removes the files that contain the user. The erasure's row is committed first, so
 * that a worker finishes the erasure if this process dies.
 */
export async function eraseUser(ctx: Context, userId: string): Promise<ErasureRow> {
  const { db, accountId, stopping } = ctx;
  const started = await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const running = await countRunningErasures(tx, accountId, userId);
    if (running >= limits.runningErasures)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `The account has ${running} running erasures, which is the maximum. Wait until one finishes, then try again.`,
      );
    return startErasure(tx, accountId, userId, newId('erasure'), leaseSeconds);
  });
  const end = performance.now() + callMs;
  const erasure = await eraseRecords(db, started, () => stopping.aborted || performance.now() > end);
  await releaseErasure(db, erasure.erasure_id, 0);
  return erasure;
}

export async function getErasure(ctx: Context, erasureId: string): Promise<ErasureRow> {
  const erasure = await findErasure(ctx.db, ctx.accountId, erasureId);
  if (!erasure) throw notFound('Erasure', erasureId);
  return erasure;
}
