import { limits } from '@tastegraph/contract';
import { invalidField } from '../http/api-error.ts';

const hourMs = 3600_000;
export const dayMs = 24 * hourMs;
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
