import { limits, type Response } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { eraseRecords } from './erase-records.ts';
import { remains } from './places.ts';
import { countRunningErasures, type ErasureRow, findErasure, releaseErasure, startErasure } from './rows.ts';

type Erasure = Response<'getErasure'>;

/** After this time a call leaves the remaining records to a worker. */
const callMs = 10_000;
/** A worker resumes the erasure of a call that died after this time. */
const leaseSeconds = 30;

const toErasure = (row: ErasureRow): Erasure => ({
  erasure_id: row.erasure_id,
  user_id: row.user_id,
  status: row.stage === 'DONE' ? 'DONE' : 'RUNNING',
  created_ts: row.created_ts,
  records_deleted_ts: row.records_deleted_ts,
  finished_ts: row.finished_ts,
  removed: Object.entries(row.removed).map(([entry, count]) => {
    const [kind = '', where = ''] = entry.split(' ');
    return { where, kind: kind as Erasure['removed'][number]['kind'], count };
  }),
  remains: [...remains],
});

const handlers = {
  eraseUser: async (call, { user_id }) => toErasure(await eraseUser(call, user_id)),
  getErasure: async ({ db, accountId }, { erasure_id }) =>
    toErasure(requireFound(await findErasure(db, accountId, erasure_id), 'Erasure', erasure_id)),
} as const satisfies Handlers;

export const api = () => handlers;

/** Deletes records; a worker removes files. The row is committed first: if this process dies, a worker does the rest. */
async function eraseUser(ctx: Context, userId: string): Promise<ErasureRow> {
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
