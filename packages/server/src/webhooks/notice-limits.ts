import { listPlanUse } from '../accounts/rows/accounts.ts';
import { claimPeriodicTask, endPeriodicStep } from '../kernel/postgres/periodic-tasks.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { announce } from './announce.ts';
import { deleteNotices, insertNotice, listAccountsToTell, listDatasetUse } from './rows/webhooks.ts';

/** From this share of a limit on, the account is told, once. */
const nearShare = 0.9;
/** Below this share, it is told again the next time. The gap keeps a use that goes up and down from sending many messages. */
const farShare = 0.8;

const task = 'notice_limits';
const roundSeconds = 60;
const claimSeconds = 120;
const accountsPerStep = 50;

/** Once a minute, looks for datasets and plans that are nearly used up, of accounts with a webhook for it. One worker at a time. */
export function noticeLimits({ db }: Pick<Services, 'db'>): TaskStep {
  return () => noticeNext(db);
}

/** Checks the next accounts. False at the end of a round, or if no round is due. */
export async function noticeNext(db: Database): Promise<boolean> {
  const step = await claimPeriodicTask(db, task, claimSeconds);
  if (!step) return false;
  const accounts = await listAccountsToTell(db, step.position ?? '', accountsPerStep);
  for (const accountId of accounts) await db.transaction((tx) => noticeAccount(tx, accountId));
  const hasMore = accounts.length === accountsPerStep;
  await endPeriodicStep(db, task, hasMore ? (accounts.at(-1) ?? null) : null, hasMore ? 0 : roundSeconds);
  return hasMore;
}

async function noticeAccount(tx: Transaction, accountId: string): Promise<void> {
  const far: string[] = [];
  for (const { dataset_id, kind, name, record_count, capacity } of await listDatasetUse(tx, accountId)) {
    const notice = `dataset ${dataset_id}`;
    if (record_count < farShare * capacity) far.push(notice);
    else if (record_count >= nearShare * capacity && (await insertNotice(tx, accountId, notice)))
      await announce(tx, accountId, 'dataset.nearly_full', {
        [`${kind}_dataset_id`]: dataset_id,
        name,
        record_count,
        capacity,
      });
  }
  for (const { quota, used, cap } of await listPlanUse(tx, accountId)) {
    const notice = `quota ${quota}`;
    if (used < farShare * cap) far.push(notice);
    else if (used >= nearShare * cap && (await insertNotice(tx, accountId, notice)))
      await announce(tx, accountId, 'quota.near', { quota, used, cap });
  }
  if (far.length > 0) await deleteNotices(tx, accountId, far);
}
