import { endpoints, type Request, type ScheduledType, submitNameOf } from '@tastegraph/contract';
import { callNotAllowed, invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { compileRequest } from '../http/validate.ts';
import { getAlgorithm } from '../projects/get-algorithm.ts';
import { getModel } from '../projects/get-model.ts';
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  updateSchedule,
} from './manage-schedules.ts';

type ScheduleRow = Awaited<ReturnType<typeof getSchedule>>;
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
  getSchedule: async (call, { project_id, schedule_id }) =>
    schedule(await getSchedule(call, project_id, schedule_id)),
  listSchedules: async (call, { project_id, ...request }) => {
    const { items, ...page } = await listSchedules(call, project_id, request, schedule);
    return { schedules: items, ...page };
  },
  updateSchedule: async (call, { project_id, schedule_id, ...change }) => {
    if (change.what) await checkWork(call, project_id, change.name ?? 'x', change.what);
    return schedule(await updateSchedule(call, project_id, schedule_id, change));
  },
  deleteSchedule: async (call, { project_id, schedule_id }) =>
    schedule(await deleteSchedule(call, project_id, schedule_id)),
} as const satisfies Handlers;

export const api = () => handlers;
