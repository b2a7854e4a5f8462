import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one } from '../../kernel/postgres/statement.ts';
import type { ScheduleRow } from './schedules.ts';

/** A schedule as a worker needs it. */
export interface ClaimedSchedule
  extends Pick<
    ScheduleRow,
    'schedule_key' | 'schedule_id' | 'project_id' | 'name' | 'cron' | 'time_zone' | 'what' | 'when_running'
  > {
  readonly account_id: string;
  readonly next_ms: number;
  readonly now_ms: number;
  /** Whether the job of the last run has not ended. */
  readonly is_running: boolean;
}

const claimed = `s.schedule_key, s.schedule_id, p.project_id, p.account_id, s.name, s.cron, s.time_zone, s.what, s.when_running,
  ${epochMs('s.next_at')} AS next_ms, ${epochMs('clock_timestamp()')} AS now_ms`;

/** A schedule that is due, locked for the transaction. Uses schedules_due. The time is that of the database, for all workers. */
export const claimDueSchedule = one<[], ClaimedSchedule>(
  'claim_schedule',
  `SELECT ${claimed}, EXISTS (SELECT FROM jobs j WHERE j.job_key = s.last_job_key
        AND j.job_status IN ('PENDING', 'RUNNING')) AS is_running
    FROM schedules s JOIN projects p USING (project_key)
    WHERE NOT s.paused AND s.next_at <= clock_timestamp()
    ORDER BY s.next_at LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
);

/** Records the job of a run. With `isFollowed`, a deployment follows when it succeeds. */
export const recordRun = none<
  [scheduleKey: number, run: { scheduledMs: number; jobId: string; isFollowed: boolean }]
>(
  'start_scheduled_run',
  `UPDATE schedules SET last_scheduled_at = to_timestamp($2::float8 / 1000), last_run_at = clock_timestamp(),
      last_job_key = j.job_key, follow_job_key = CASE WHEN $4::boolean THEN j.job_key ELSE follow_job_key END
    FROM jobs j WHERE schedule_key = $1 AND j.job_id = $3`,
  (scheduleKey, { scheduledMs, jobId, isFollowed }) => [scheduleKey, scheduledMs, jobId, isFollowed],
);

export const recordMissed = none<
  [scheduleKey: number, count: number, missed: NonNullable<ScheduleRow['last_missed']>]
>(
  'miss_scheduled_run',
  'UPDATE schedules SET missed_runs = missed_runs + $2::int, last_missed = $3 WHERE schedule_key = $1',
);

export const advanceSchedule = none<[scheduleKey: number, nextMs: number]>(
  'advance_schedule',
  'UPDATE schedules SET next_at = to_timestamp($2::float8 / 1000) WHERE schedule_key = $1',
);

export interface FollowedSchedule extends Omit<ClaimedSchedule, 'is_running'> {
  /** Null if the training failed or was canceled, or if its model was deleted. */
  readonly model_id: string | null;
}

/** A schedule whose training has ended and whose model is to be deployed. Nobody gets it twice once the transaction commits. */
export const claimFollowedSchedule = one<[], FollowedSchedule>(
  'claim_followed_schedule',
  `WITH s AS (
      SELECT s.* FROM schedules s JOIN jobs j ON j.job_key = s.follow_job_key
        WHERE s.follow_job_key IS NOT NULL AND j.job_status NOT IN ('PENDING', 'RUNNING')
        LIMIT 1 FOR UPDATE OF s SKIP LOCKED
    ), cleared AS (
      UPDATE schedules SET follow_job_key = NULL FROM s WHERE schedules.schedule_key = s.schedule_key
    ) SELECT ${claimed}, m.model_id FROM s JOIN projects p USING (project_key)
      LEFT JOIN models m ON m.job_key = s.follow_job_key`,
);
