import { ApiError } from '../http/api-error.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { type CappedResource, lockPlanUse } from './rows/accounts.ts';

const names: Record<CappedResource, string> = {
  user_shards: 'shards across all user datasets',
  item_shards: 'shards across all item datasets',
  event_shards: 'shards across all event datasets',
  projects: 'projects',
  algorithms: 'algorithms across all projects',
  models: 'models across all projects, including training jobs that have not ended',
};

/** Throws if a cap would be exceeded. Calls `added` with the account's row locked: concurrent calls cannot both take the last one. */
export async function enforcePlanCap(
  tx: Transaction,
  accountId: string,
  what: CappedResource,
  added: () => number | Promise<number>,
): Promise<void> {
  const { plan, cap, used } = await lockPlanUse(tx, accountId, what);
  const more = await added();
  if (used + more <= cap) return;
  const flag = what.replace('_', '-');
  throw new ApiError(
    'QUOTA_EXCEEDED',
    `The plan allows ${cap} ${names[what]} (max_${what}). Used: ${used}; requested: ${more} more. Delete what you no longer need, or ask the operator to raise the cap: admin set-plan --plan ${plan} --${flag} N.`,
  );
}
