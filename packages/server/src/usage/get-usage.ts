import { limits, type Request, type Response } from '@tastegraph/contract';
import { findPlanUsage } from '../accounts/rows/accounts.ts';
import type { Context } from '../http/context.ts';
import { rangeOf } from './range-of.ts';
import { listCallerCalls } from './rows/call-counts.ts';

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
