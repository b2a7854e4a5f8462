import { endpoints, limits, type Request, type ScheduledType, submitNameOf } from '@tastegraph/contract';
import { ApiError, callNotAllowed, invalidField, requireFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { listPage } from '../http/pages.ts';
import { compileRequest } from '../http/validate.ts';
import { getAlgorithm } from '../projects/get-algorithm.ts';
import { getModel } from '../projects/get-model.ts';
import { getProject } from '../projects/get-project.ts';
import { lockProject } from '../projects/rows/projects.ts';
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
} from './rows.ts';
import { checkTicks, nextTick } from './ticks.ts';

type Work = Request<'createSchedule'>['what'];

/** A schedule as the API returns it, without internal keys. */
const schedule = (row: ScheduleRow) => ({
  project_id: row.project_id,
  schedule_id: row.schedule_id,
  name: row.name,
  cron: row.cron,
  time_zone: row.time_zone,
  what: row.what,
  when_running: row.when_running,
  paused: row.paused,
  created_ts: row.created_ts,
  next_run_ts: row.next_run_ts,
  last_run: row.last_run,
  missed_runs: row.missed_runs,
  last_missed: row.last_missed,
});

const validators = new Map<ScheduledType, (input: unknown, bytes: number) => unknown>();

/** Fields that each run fills in. */
const filled = { TRAINING: 'algorithm_id', QUERYING: 'model_id', CLUSTERING: 'model_id' } as const;

/** Checks what a run would submit, as the call that submits such a job does, so that mistakes show before the first run. */
async function checkWork(call: Context, projectId: string, name: string, what: Work): Promise<void> {
  const { job_type, request = {}, deploy, guard } = what;
  for (const type of [job_type, ...(deploy ? (['DEPLOYMENT'] as const) : [])]) {
    const [, path] = endpoints[submitNameOf(type)];
    if (!call.mayCall(path)) throw callNotAllowed(path);
  }
  if (job_type !== 'TRAINING' && (deploy !== undefined || guard !== undefined))
    throw invalidField('what.deploy', 'is for jobs of type TRAINING only, and so is guard');
  if (guard !== undefined && deploy !== true) throw invalidField('what.guard', 'needs deploy: true');
  let validate = validators.get(job_type);
  if (!validate) {
    validate = compileRequest(submitNameOf(job_type));
    validators.set(job_type, validate);
  }
  const field = job_type in filled ? filled[job_type as keyof typeof filled] : undefined;
  const isOpen = field !== undefined && !(field in request);
  const whole: Record<string, unknown> = {
    ...request,
    ...(isOpen ? { [field]: 'x' } : {}),
    project_id: projectId,
    name,
  };
  validate(whole, 0);
  const { algorithm_id, model_id } = request;
  if (typeof algorithm_id === 'string') await getAlgorithm(call, projectId, algorithm_id);
  if (typeof model_id === 'string') await getModel(call, projectId, model_id);
}

const handlers = {
  createSchedule: async (call, { project_id, time_zone = 'UTC', when_running = 'SKIP', ...settings }) => {
    await checkWork(call, project_id, settings.name, settings.what);
    return schedule(await createSchedule(call, project_id, { ...settings, time_zone, when_running }));
  },
  getSchedule: async ({ db, accountId }, { project_id, schedule_id }) => {
    const row = await findSchedule(db, accountId, project_id, schedule_id);
    return schedule(requireFound(row, 'Schedule', schedule_id, project_id));
  },
  listSchedules: async (call, { project_id, ...request }) => {
    const { project_key } = await getProject(call, project_id);
    const { items, ...page } = await listPage(call, request, {
      name: `schedules ${project_id}`,
      rows: (bounds) => listScheduleRows(call.db, bounds, project_key),
      keyOf: (row) => row.schedule_key,
      present: schedule,
    });
    return { schedules: items, ...page };
  },
  updateSchedule: async (call, { project_id, schedule_id, ...change }) => {
    if (change.what) await checkWork(call, project_id, change.name ?? 'x', change.what);
    return schedule(await updateSchedule(call, project_id, schedule_id, change));
  },
  deleteSchedule: async ({ db, accountId }, { project_id, schedule_id }) => {
    const row = await deleteScheduleRow(db, accountId, project_id, schedule_id);
    return schedule(requireFound(row, 'Schedule', schedule_id, project_id));
  },
} as const satisfies Handlers;

export const api = () => handlers;

/** The caller has checked `what`. */
async function createSchedule(
  ctx: Context,
  projectId: string,
  settings: ScheduleSettings,
): Promise<ScheduleRow> {
  checkTicks(settings);
  return ctx.db.transaction(async (tx) => {
    // So that concurrent calls cannot both take the last place.
    await lockProject(tx, ctx.accountId, projectId);
    const { project_key } = await getProject(ctx, projectId, tx);
    if ((await countSchedules(tx, project_key)) >= limits.schedulesPerProject)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `A project has at most ${limits.schedulesPerProject} schedules. Delete those that you no longer need.`,
      );
    return insertSchedule(tx, project_key, newId('schedule'), settings, nextTick(settings, Date.now()));
  });
}

interface ScheduleChange extends Partial<ScheduleSettings> {
  readonly paused?: boolean;
  readonly run_now?: boolean;
}

/** A change of the times, or the end of a pause, counts from now on. The caller has checked `what`. */
async function updateSchedule(
  ctx: Context,
  projectId: string,
  scheduleId: string,
  { run_now = false, ...change }: ScheduleChange,
): Promise<ScheduleRow> {
  return ctx.db.transaction(async (tx) => {
    const locked = await lockSchedule(tx, ctx.accountId, projectId, scheduleId);
    const current = requireFound(locked, 'Schedule', scheduleId, projectId);
    const next = { ...current, ...change };
    checkTicks(next);
    if (run_now && next.paused) throw invalidField('run_now', 'needs a schedule that is not paused');
    const isMoved =
      next.cron !== current.cron || next.time_zone !== current.time_zone || (current.paused && !next.paused);
    // A worker takes what is due, and goes on with the next time of `cron`.
    const nextMs = run_now ? Date.now() : isMoved ? nextTick(next, Date.now()) : undefined;
    return updateScheduleRow(tx, current.schedule_key, next, nextMs);
  });
}
