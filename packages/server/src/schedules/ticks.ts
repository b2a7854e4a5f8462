import { CronExpressionParser } from 'cron-parser';
import { invalidField } from '../http/api-error.ts';

/** Minute, hour, day of the month, month, day of the week: no seconds and no `@daily`, so that there is one way to write it. */
const fiveFields = /^\S+( \S+){4}$/;

/** More runs than that in one outage are not told apart. */
const maxCounted = 1000;

export interface Ticks {
  readonly cron: string;
  readonly time_zone: string;
}

/** Throws an ApiError for what never occurs. */
export function checkTicks({ cron, time_zone }: Ticks): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: time_zone });
  } catch {
    throw invalidField('time_zone', 'must be a time zone of the IANA database, such as Europe/Berlin');
  }
  try {
    if (!fiveFields.test(cron)) throw new Error('not five fields');
    nextTick({ cron, time_zone }, Date.now());
  } catch {
    throw invalidField(
      'cron',
      'must be a cron expression of five fields for a time that occurs, such as 0 3 * * *',
    );
  }
}

/** The first time after `afterMs`. */
export function nextTick({ cron, time_zone }: Ticks, afterMs: number): number {
  return CronExpressionParser.parse(cron, { currentDate: new Date(afterMs), tz: time_zone })
    .next()
    .getTime();
}

/** Of a tick that is due and all later ones until now: the last, how many there were before it, and the next one. */
export function dueTicks(
  ticks: Ticks,
  dueMs: number,
  nowMs: number,
): { lastMs: number; earlier: number; nextMs: number } {
  let [lastMs, earlier] = [dueMs, 0];
  for (;;) {
    const following = nextTick(ticks, lastMs);
    if (following > nowMs) return { lastMs, earlier, nextMs: following };
    lastMs = following;
    earlier++;
    // After a long outage of a frequent schedule: go on from now.
    if (earlier >= maxCounted) return { lastMs, earlier, nextMs: nextTick(ticks, nowMs) };
  }
}
