import type { Response } from '@tastegraph/contract';
import type { ErasedUser } from '../http/hooks.ts';
import { epochMs, newestFirst } from '../kernel/postgres/sql-fragments.ts';
import { count, none, one, only } from '../kernel/postgres/statement.ts';

type Schedule = Response<'getSchedule'>;

export interface ScheduleRow extends Schedule {
  readonly schedule_key: number;
}

export type ScheduleSettings = Pick<ScheduleRow, 'name' | 'cron' | 'time_zone' | 'what' | 'when_running'>;

const columns = `s.schedule_key, p.project_id, s.schedule_id, s.name, s.cron, s.time_zone, s.what, s.when_running, s.paused,
  ${epochMs('s.created_at')} AS created_ts, CASE WHEN NOT s.paused THEN ${epochMs('s.next_at')} END AS next_run_ts,
  CASE WHEN s.last_run_at IS NOT NULL THEN jsonb_build_object('scheduled_ts', ${epochMs('s.last_scheduled_at')},
    'ts', ${epochMs('s.last_run_at')}, 'job_id', (SELECT j.job_id FROM jobs j WHERE j.job_key = s.last_job_key)) END AS last_run,
  s.missed_runs, s.last_missed`;

const toTimestamp = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

/** The caller has checked the account. */
export const insertSchedule = only<
  [projectKey: number, scheduleId: string, settings: ScheduleSettings, nextMs: number],
  ScheduleRow
>(
  'insert_schedule',
  `WITH s AS (
      INSERT INTO schedules (schedule_id, project_key, name, cron, time_zone, what, when_running, next_at)
        VALUES ($2, $1, $3, $4, $5, $6, $7, ${toTimestamp('$8')}) RETURNING *
    ) SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
  (projectKey, scheduleId, { name, cron, time_zone, what, when_running }, nextMs) => [
    projectKey,
    scheduleId,
    name,
    cron,
    time_zone,
    what,
    when_running,
    nextMs,
  ],
);

export const countSchedules = count<[projectKey: number]>(
  'count_schedules',
  'SELECT count(*)::int AS count FROM schedules WHERE project_key = $1',
);

const ofAccount =
  's.project_key = p.project_key AND s.schedule_id = $3 AND p.project_id = $2 AND p.account_id = $1';

/** Uses the unique index on schedule_id, then checks project and account. */
export const findSchedule = one<[accountId: string, projectId: string, scheduleId: string], ScheduleRow>(
  'find_schedule',
  `SELECT ${columns} FROM schedules s, projects p WHERE ${ofAccount}`,
);

/** Uses schedules_by_project; the caller has checked the account. */
export const listScheduleRows = newestFirst<[projectKey: number], ScheduleRow>(
  'list_schedules',
  's.schedule_key',
  `SELECT ${columns} FROM schedules s JOIN projects p USING (project_key) WHERE s.project_key = $4`,
);

/** Until the transaction ends, no worker starts a run of it. */
export const lockSchedule = one<[accountId: string, projectId: string, scheduleId: string], ScheduleRow>(
  'lock_schedule',
  `SELECT ${columns} FROM schedules s, projects p WHERE ${ofAccount} FOR UPDATE OF s`,
);

/** The caller holds the lock of `lockSchedule`. Without `nextMs`, the next run stays. */
export const updateScheduleRow = only<
  [
    scheduleKey: number,
    settings: ScheduleSettings & { readonly paused: boolean },
    nextMs: number | undefined,
  ],
  ScheduleRow
>(
  'update_schedule',
  `WITH s AS (
      UPDATE schedules SET name = $2, cron = $3, time_zone = $4, what = $5, when_running = $6, paused = $7,
        next_at = coalesce(${toTimestamp('$8')}, next_at) WHERE schedule_key = $1 RETURNING *
    ) SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
  (scheduleKey, { name, cron, time_zone, what, when_running, paused }, nextMs) => [
    scheduleKey,
    name,
    cron,
    time_zone,
    what,
    when_running,
    paused,
    nextMs ?? null,
  ],
);

export const deleteScheduleRow = one<[accountId: string, projectId: string, scheduleId: string], ScheduleRow>(
  'delete_schedule',
  `WITH s AS (DELETE FROM schedules s USING projects p WHERE ${ofAccount} RETURNING s.*)
    SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
);

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

interface FollowedSchedule extends Omit<ClaimedSchedule, 'is_running'> {
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

/** Removes the user from the lists of users for whom the account's schedules submit jobs. Waits for runs that are being started. */
export const forgetScheduledUser = none<[user: ErasedUser]>(
  'forget_scheduled_user',
  `UPDATE schedules s SET what = jsonb_set(s.what, '{request,user_ids}', (s.what#>'{request,user_ids}') - $2::text)
    FROM projects p WHERE p.project_key = s.project_key AND p.account_id = $1 AND s.what#>'{request,user_ids}' ? $2`,
  ({ account_id, user_id }) => [account_id, user_id],
);
