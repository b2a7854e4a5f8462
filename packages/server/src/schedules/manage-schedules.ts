import { limits } from '@tastegraph/contract';
import { ApiError, invalidField, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { listPage, type PageRequest } from '../http/pages.ts';
import { getProject, requireProject } from '../projects/get-project.ts';
import { findProject, lockProject } from '../projects/rows/projects.ts';
import {
  countSchedules,
  deleteScheduleRow,
  findSchedule,
  insertSchedule,
  listScheduleRows,
  lockSchedule,
  type ScheduleRow,
  type ScheduleSettings,
  updateScheduleRow,
} from './rows/schedules.ts';
import { checkTicks, nextTick } from './ticks.ts';

/** The caller has checked `what`. */
export async function createSchedule(
  ctx: Context,
  projectId: string,
  settings: ScheduleSettings,
): Promise<ScheduleRow> {
  checkTicks(settings);
  return ctx.db.transaction(async (tx) => {
    // So that concurrent calls cannot both take the last place.
    await lockProject(tx, ctx.accountId, projectId);
    const { project_key } = requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
    if ((await countSchedules(tx, project_key)) >= limits.schedulesPerProject)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `A project has at most ${limits.schedulesPerProject} schedules. Delete those that you no longer need.`,
      );
    return insertSchedule(tx, project_key, newId('schedule'), settings, nextTick(settings, Date.now()));
  });
}

export async function getSchedule(ctx: Context, projectId: string, scheduleId: string): Promise<ScheduleRow> {
  const row = await findSchedule(ctx.db, ctx.accountId, projectId, scheduleId);
  return requireSchedule(row, projectId, scheduleId);
}

export async function listSchedules<Item>(
  ctx: Context,
  projectId: string,
  request: PageRequest,
  present: (row: ScheduleRow) => Item,
) {
  const { project_key } = await getProject(ctx, projectId);
  return listPage(ctx, request, {
    name: `schedules ${projectId}`,
    rows: (bounds) => listScheduleRows(ctx.db, project_key, bounds),
    keyOf: (row) => row.schedule_key,
    present,
  });
}

interface ScheduleChange extends Partial<ScheduleSettings> {
  readonly paused?: boolean;
  readonly run_now?: boolean;
}

/** A change of the times, or the end of a pause, counts from now on. The caller has checked `what`. */
export async function updateSchedule(
  ctx: Context,
  projectId: string,
  scheduleId: string,
  { run_now = false, ...change }: ScheduleChange,
): Promise<ScheduleRow> {
  return ctx.db.transaction(async (tx) => {
    const current = requireSchedule(
      await lockSchedule(tx, ctx.accountId, projectId, scheduleId),
      projectId,
      scheduleId,
    );
    const next = { ...current, ...change };
    checkTicks(next);
    if (run_now && next.paused) throw invalidField('run_now', 'needs a schedule that is not paused');
    const isMoved =
      next.cron !== current.cron || next.time_zone !== current.time_zone || (current.paused && !next.paused);
    // A worker takes what is due, and goes on with the next time of `cron`.
    const nextMs = run_now ? Date.now() : isMoved ? nextTick(next, Date.now()) : undefined;
    const row = await updateScheduleRow(tx, current.schedule_key, next, nextMs);
    return requireSchedule(row, projectId, scheduleId);
  });
}

export async function deleteSchedule(
  ctx: Context,
  projectId: string,
  scheduleId: string,
): Promise<ScheduleRow> {
  const row = await deleteScheduleRow(ctx.db, ctx.accountId, projectId, scheduleId);
  return requireSchedule(row, projectId, scheduleId);
}

function requireSchedule(
  schedule: ScheduleRow | undefined,
  projectId: string,
  scheduleId: string,
): ScheduleRow {
  if (!schedule) throw notFound('Schedule', scheduleId, projectId);
  return schedule;
}
