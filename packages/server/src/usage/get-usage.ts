import { limits, type Request, type Response } from '@tastegraph/contract';
import { findPlanUsage, listAccounts } from '../accounts/rows/accounts.ts';
import { ApiError, invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { listCallerCalls } from './rows/call-counts.ts';

const hourMs = 3600_000;
const dayMs = 24 * hourMs;
const defaultDays = 30;

/** The time range of a request: whole intervals at its start, and no more of them than a response can have. */
export function rangeOf(
  asked: { readonly since_ts?: number | undefined; readonly until_ts?: number | undefined },
  interval: 'HOUR' | 'DAY',
  now = Date.now(),
): { since: number; until: number } {
  const until = asked.until_ts ?? now;
  const [length, most] =
    interval === 'HOUR' ? [hourMs, limits.statisticsHours] : [dayMs, limits.statisticsDays];
  const since = asked.since_ts ?? until - Math.min(defaultDays * dayMs, (most - 1) * length);
  const start = Math.max(0, since - (since % length));
  if (since >= until) throw invalidField('since_ts', 'must be before until_ts');
  if (until - start > most * length)
    throw invalidField(
      'since_ts',
      `must be at most ${most} ${interval === 'HOUR' ? 'hours' : 'days'} before until_ts`,
    );
  return { since: start, until };
}

type Resources = Response<'getUsage'>['resources'];

/** What the account uses of its plan now, and who called what in the time range. */
export async function getUsage(
  ctx: Pick<Context, 'db' | 'accountId'>,
  asked: Request<'getUsage'>,
): Promise<Response<'getUsage'>> {
  const range = rangeOf(asked, 'DAY');
  const { plan, caps, used } = await findPlanUsage(ctx.db, ctx.accountId);
  const calls = await listCallerCalls(ctx.db, ctx.accountId, { ...range, limit: limits.usageCallers });
  const resources: Resources = [
    { resource: 'USER_SHARDS', used: used.user_shards, limit: caps.max_user_shards },
    { resource: 'ITEM_SHARDS', used: used.item_shards, limit: caps.max_item_shards },
    { resource: 'EVENT_SHARDS', used: used.event_shards, limit: caps.max_event_shards },
    { resource: 'PROJECTS', used: used.projects, limit: caps.max_projects },
    { resource: 'ALGORITHMS', used: used.algorithms, limit: caps.max_algorithms },
    { resource: 'MODELS', used: used.models, limit: caps.max_models },
    { resource: 'TRAINING_HOURS', used: used.training_hours, limit: caps.max_training_hours },
    { resource: 'QPS', used: used.qps, limit: caps.max_qps },
    {
      resource: 'RECORDS',
      used: used.records,
      limit: (used.user_shards + used.item_shards + used.event_shards) * limits.recordsPerShard,
    },
    { resource: 'MODEL_BYTES', used: used.model_bytes, limit: null },
  ];
  return {
    since_ts: range.since,
    until_ts: range.until,
    plan,
    resources,
    calls: calls.map(({ project_id, caller_id, ...counts }) => ({
      project_id: project_id === '' ? null : project_id,
      caller_type: caller_id.startsWith('tg_') ? 'API_KEY' : 'PERSON',
      caller_id,
      ...counts,
    })),
  };
}

/** For the operator: what each account uses now, and its calls of the last days; of one account, also by caller and project. */
export async function listAccountUsage(
  db: Database,
  { accountId, days }: { accountId: string | undefined; days: number },
): Promise<object> {
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
