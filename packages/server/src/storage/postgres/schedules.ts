import type { Response } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';
import { boundedRows, epochMs, type PageBounds, type PageRow } from './sql-fragments.ts';

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

const insertStatement: Statement = {
  name: 'insert_schedule',
  text: `WITH s AS (
      INSERT INTO schedules (schedule_id, project_key, name, cron, time_zone, what, when_running, next_at)
        VALUES ($2, $1, $3, $4, $5, $6, $7, ${toTimestamp('$8')}) RETURNING *
    ) SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
};

/** The caller has checked the account. */
export async function insertSchedule(
  tx: Queryable,
  projectKey: number,
  scheduleId: string,
  { name, cron, time_zone, what, when_running }: ScheduleSettings,
  nextMs: number,
): Promise<ScheduleRow> {
  const values = [projectKey, scheduleId, name, cron, time_zone, what, when_running, nextMs];
  const [row] = await tx.rows<ScheduleRow>(insertStatement, values);
  if (!row) throw new Error('the schedule was not inserted');
  return row;
}

const countStatement: Statement = {
  name: 'count_schedules',
  text: 'SELECT count(*)::int AS count FROM schedules WHERE project_key = $1',
};

export async function countSchedules(db: Queryable, projectKey: number): Promise<number> {
  const [row] = await db.rows<{ count: number }>(countStatement, [projectKey]);
  return row?.count ?? 0;
}

const ofAccount =
  's.project_key = p.project_key AND s.schedule_id = $3 AND p.project_id = $1 AND p.account_id = $2';

const findStatement: Statement = {
  name: 'find_schedule',
  text: `SELECT ${columns} FROM schedules s, projects p WHERE ${ofAccount}`,
};

/** Uses the unique index on schedule_id, then checks project and account. */
export async function findSchedule(
  db: Queryable,
  accountId: string,
  projectId: string,
  scheduleId: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await db.rows<ScheduleRow>(findStatement, [projectId, accountId, scheduleId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_schedules',
  text: boundedRows(
    'schedule_key DESC',
    '$4',
    `SELECT ${columns} FROM schedules s JOIN projects p USING (project_key)
      WHERE s.project_key = $1 AND s.schedule_key < $2 ORDER BY s.schedule_key DESC LIMIT $3`,
  ),
};

/** Newest first, older than `beforeKey`. Uses schedules_by_project; the caller has checked the account. */
export async function listScheduleRows(
  db: Queryable,
  projectKey: number,
  { beforeKey, limit, bytes }: PageBounds,
): Promise<(ScheduleRow & PageRow)[]> {
  return db.rows(listStatement, [projectKey, beforeKey, limit, bytes]);
}

const lockStatement: Statement = {
  name: 'lock_schedule',
  text: `SELECT ${columns} FROM schedules s, projects p WHERE ${ofAccount} FOR UPDATE OF s`,
};

/** Until the transaction ends, no worker starts a run of it. */
export async function lockSchedule(
  tx: Queryable,
  accountId: string,
  projectId: string,
  scheduleId: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await tx.rows<ScheduleRow>(lockStatement, [projectId, accountId, scheduleId]);
  return row;
}

const updateStatement: Statement = {
  name: 'update_schedule',
  text: `WITH s AS (
      UPDATE schedules SET name = $2, cron = $3, time_zone = $4, what = $5, when_running = $6, paused = $7,
        next_at = coalesce(${toTimestamp('$8')}, next_at) WHERE schedule_key = $1 RETURNING *
    ) SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
};

/** The caller holds the lock of `lockSchedule`. Without `nextMs`, the next run stays. */
export async function updateScheduleRow(
  tx: Queryable,
  scheduleKey: number,
  { name, cron, time_zone, what, when_running, paused }: ScheduleSettings & { readonly paused: boolean },
  nextMs: number | undefined,
): Promise<ScheduleRow | undefined> {
  const values = [scheduleKey, name, cron, time_zone, what, when_running, paused, nextMs ?? null];
  const [row] = await tx.rows<ScheduleRow>(updateStatement, values);
  return row;
}

const deleteStatement: Statement = {
  name: 'delete_schedule',
  text: `WITH s AS (DELETE FROM schedules s USING projects p WHERE ${ofAccount} RETURNING s.*)
    SELECT ${columns} FROM s JOIN projects p USING (project_key)`,
};

export async function deleteScheduleRow(
  db: Queryable,
  accountId: string,
  projectId: string,
  scheduleId: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await db.rows<ScheduleRow>(deleteStatement, [projectId, accountId, scheduleId]);
  return row;
}
