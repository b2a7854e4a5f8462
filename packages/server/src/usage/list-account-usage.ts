import { listAccounts } from '../accounts/rows/accounts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { getUsage } from './get-usage.ts';
import { dayMs } from './range-of.ts';

interface Asked {
  /** Default: all accounts. */
  readonly accountId: string | undefined;
  readonly days: number;
}

/** For the operator: what each account uses now, and its calls of the last days; of one account, also by caller and project. */
export async function listAccountUsage(db: Database, { accountId, days }: Asked): Promise<object> {
  const accounts = (await listAccounts(db)).filter(
    ({ account_id }) => (accountId ?? account_id) === account_id,
  );
  if (accountId !== undefined && accounts.length === 0)
    throw new ApiError('NOT_FOUND', `Account "${accountId}" does not exist. See "admin list-accounts".`);
  const until_ts = Date.now();
  const asked = { since_ts: until_ts - days * dayMs, until_ts };
  const rows = [];
  for (const { account_id, name } of accounts) {
    const { plan, resources, calls } = await getUsage({ db, accountId: account_id }, asked);
    if (accountId !== undefined) return { account_id, name, plan, resources, calls };
    const used = new Map(resources.map((one) => [one.resource, one.used]));
    rows.push({
      account_id,
      name,
      plan,
      event_shards: used.get('EVENT_SHARDS'),
      records: used.get('RECORDS'),
      model_bytes: used.get('MODEL_BYTES'),
      training_hours: used.get('TRAINING_HOURS'),
      projects: used.get('PROJECTS'),
      recommendations: sum(calls.map(({ recommendations }) => recommendations)),
      other_calls: sum(calls.map(({ other_calls }) => other_calls)),
      errors: sum(calls.map(({ errors }) => errors)),
    });
  }
  return { accounts: rows };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
