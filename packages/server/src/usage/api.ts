import { limits, type Request, type Response } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { percentileOf } from '../kernel/lib/histogram.ts';
import { getProject } from '../projects/get-project.ts';
import { getUsage, rangeOf } from './get-usage.ts';
import { type CallIntervalRow, listCallIntervals } from './rows/call-counts.ts';
import { listEventDays, listRecordDays } from './rows/record-history.ts';
import { addCounts, newCounts } from './usage-recorder.ts';

export const api = () => ({ getProjectStatistics, getUsage }) as const satisfies Handlers;

/** Calls, events and records of a project over time. */
async function getProjectStatistics(
  ctx: Context,
  { project_id, interval = 'DAY', ...asked }: Request<'getProjectStatistics'>,
): Promise<Response<'getProjectStatistics'>> {
  const range = rangeOf(asked, interval);
  await getProject(ctx, project_id);
  const unit = interval === 'HOUR' ? 'hour' : 'day';
  const { db, accountId } = ctx;
  const calls = await listCallIntervals(db, accountId, project_id, { ...range, unit });
  const total = newCounts();
  for (const counted of calls) addCounts(total, counted);
  const types = limits.statisticsEventTypes;
  const events = await listEventDays(db, accountId, project_id, { ...range, types });
  const records = await listRecordDays(db, accountId, project_id, range);
  return {
    project_id,
    interval,
    since_ts: range.since,
    until_ts: range.until,
    total: showCalls(total),
    calls: calls.map(({ ts, ...counted }) => ({ ts, ...showCalls(counted) })),
    events,
    records,
  };
}

const showCalls = ({ durations, ...sums }: Omit<CallIntervalRow, 'ts'>) => ({
  ...sums,
  p50_ms: percentileOf(durations, 0.5),
  p99_ms: percentileOf(durations, 0.99),
});
