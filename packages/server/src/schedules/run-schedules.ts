import { randomBytes } from 'node:crypto';
import { type JobType, limits, type SubmitRequest } from '@tastegraph/contract';
import { ApiError, toApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { PageTokens } from '../http/page-tokens.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import { getProject } from '../projects/get-project.ts';
import { findNewestAlgorithm } from '../projects/rows/algorithms.ts';
import type { Services } from '../services.ts';
import { scheduledRuns } from './metrics.ts';
import {
  advanceSchedule,
  type ClaimedSchedule,
  claimDueSchedule,
  claimFollowedSchedule,
  recordMissed,
  recordRun,
} from './rows.ts';
import { dueTicks } from './ticks.ts';

export type ScheduleContext = Pick<
  Services,
  'db' | 'queue' | 'hooks' | 'jobDefinition' | 'log' | 'metrics' | 'stopping'
>;

type Scheduled = Omit<ClaimedSchedule, 'is_running'>;

interface Failure {
  readonly code: string;
  readonly message: string;
}

interface Missed extends Failure {
  readonly count: number;
  readonly scheduled_ts: number;
}

/** Each run is one transaction, which locks its schedule, so any number of workers start each run once. */
export function runSchedules(context: ScheduleContext): TaskStep {
  return async () => {
    const followed = await followTraining(context);
    const ran = await runDueSchedule(context);
    return followed || ran;
  };
}

/** Starts the run of one schedule that is due. False if none is. */
export async function runDueSchedule(context: ScheduleContext): Promise<boolean> {
  const { db, log, metrics } = context;
  const done = await db.transaction(async (tx) => {
    const schedule = await claimDueSchedule(tx);
    if (!schedule) return undefined;
    const { lastMs, earlier, nextMs } = dueTicks(schedule, schedule.next_ms, schedule.now_ms);
    const missed: Missed[] = [];
    if (earlier > 0)
      missed.push({
        count: earlier,
        scheduled_ts: schedule.next_ms,
        code: 'NO_WORKER',
        message: `No worker was running for ${earlier} runs. The last one is made up for.`,
      });
    const failure = await startRun(context, tx, schedule, lastMs);
    if (failure) missed.push({ count: 1, scheduled_ts: lastMs, ...failure });
    for (const one of missed) await reportMissed(context, tx, schedule, one);
    await advanceSchedule(tx, schedule.schedule_key, nextMs);
    return { schedule, missed, hasStarted: failure === undefined };
  });
  if (!done) return false;
  const { schedule_id, account_id } = done.schedule;
  if (done.hasStarted) {
    metrics.add(scheduledRuns, { outcome: 'started' });
    log.info({ schedule_id, account_id }, 'started a scheduled run');
  }
  for (const { count, code } of done.missed) {
    metrics.add(scheduledRuns, { outcome: 'missed' }, count);
    log.warn({ schedule_id, account_id, code, runs: count }, 'missed scheduled runs');
  }
  return true;
}

/** Why there is no run; undefined if there is one. Throws if the database fails, so that the run is tried again. */
async function startRun(
  context: ScheduleContext,
  tx: Transaction,
  schedule: ClaimedSchedule,
  scheduledMs: number,
): Promise<Failure | undefined> {
  if (schedule.is_running && schedule.when_running === 'SKIP')
    return { code: 'PREVIOUS_RUNNING', message: 'The job of the run before has not ended.' };
  try {
    const { job_id } = await submitScheduled(context, callerOf(context, tx, schedule), schedule);
    const isFollowed = schedule.what.deploy === true;
    await recordRun(tx, schedule.schedule_key, { scheduledMs, jobId: job_id, isFollowed });
    return undefined;
  } catch (error) {
    return refusalOf(error);
  }
}

/** Submits the deployment of a training that a schedule has started and that has ended. False if there is none. */
async function followTraining(context: ScheduleContext): Promise<boolean> {
  const done = await context.db.transaction(async (tx) => {
    const schedule = await claimFollowedSchedule(tx);
    if (!schedule) return undefined;
    const { model_id, now_ms } = schedule;
    if (model_id === null) return { schedule };
    try {
      await submitDeploymentOf(context, callerOf(context, tx, schedule), schedule, model_id);
      return { schedule };
    } catch (error) {
      const failure = refusalOf(error);
      await reportMissed(context, tx, schedule, { count: 1, scheduled_ts: now_ms, ...failure });
      return { schedule, failure };
    }
  });
  if (!done) return false;
  const { schedule_id, account_id, model_id } = done.schedule;
  if (done.failure) context.metrics.add(scheduledRuns, { outcome: 'missed' });
  context.log.info(
    { schedule_id, account_id, model_id, code: done.failure?.code },
    'continued after a scheduled training',
  );
  return true;
}

/** What the service refuses is reported. Anything else is a failure of the database or of the code. */
function refusalOf(error: unknown): Failure {
  const { code, message } = toApiError(error);
  if (code === 'INTERNAL' || code === 'UNAVAILABLE') throw error;
  return { code, message };
}

/** Records missed runs, and tells the account. */
async function reportMissed(
  { hooks }: ScheduleContext,
  tx: Transaction,
  { schedule_key, account_id, project_id, schedule_id, name }: Scheduled,
  { count: runs, ...missed }: Missed,
): Promise<void> {
  await recordMissed(tx, schedule_key, runs, missed);
  await hooks.announce(tx, account_id, 'schedule.missed', { project_id, schedule_id, name, runs, ...missed });
}

/** As if somebody of the account had called: every statement is part of the transaction. */
function callerOf(
  { db, queue, hooks, stopping }: ScheduleContext,
  tx: Transaction,
  { account_id, schedule_id }: Scheduled,
): Context {
  return {
    accountId: account_id,
    requestId: schedule_id,
    callerId: schedule_id,
    db: {
      rows: (statement, values) => tx.rows(statement, values),
      transaction: (work) => work(tx),
      close: () => db.close(),
    },
    queue,
    hooks,
    stopping,
    // Who created the schedule may; a run creates no keys.
    facts: { projectId: undefined, isDegraded: false },
    // Submitting a job writes no events, and is no call.
    usage: { eventsWritten: () => undefined },
    mayCall: () => false,
    // Submitting a job lists nothing.
    pageTokens: new PageTokens(randomBytes(32)),
  };
}

/** Submits the job of a run. The request was checked when the schedule was created or changed. */
async function submitScheduled(
  { jobDefinition }: ScheduleContext,
  ctx: Context,
  { project_id, name, what: { job_type, request = {}, guard } }: Scheduled,
): Promise<{ job_id: string }> {
  const fields: Record<string, unknown> = { ...request, project_id, name };
  if (job_type === 'TRAINING') {
    fields['algorithm_id'] ??= await newestAlgorithm(ctx, project_id);
    if (guard) fields['holdout_hours'] ??= limits.scheduledHoldoutHours;
  }
  if (job_type === 'QUERYING' || job_type === 'CLUSTERING')
    fields['model_id'] ??= await deployedModel(ctx, project_id);
  const { submit } = await jobDefinition<JobType>(job_type);
  return submit(ctx, fields as SubmitRequest);
}

/** Deploys the model that a run has trained, with the ranker that is deployed now. */
async function submitDeploymentOf(
  { jobDefinition }: ScheduleContext,
  ctx: Context,
  { project_id, name, what: { guard } }: Scheduled,
  modelId: string,
): Promise<{ job_id: string }> {
  const { deployment } = await getProject(ctx, project_id);
  return (await jobDefinition('DEPLOYMENT')).submit(ctx, {
    project_id,
    name,
    generator_model_id: modelId,
    ranker_model_id: deployment?.ranker_model_id ?? null,
    ...(guard ? { guard } : {}),
  });
}

async function newestAlgorithm(ctx: Context, projectId: string): Promise<string> {
  const { project_key } = await getProject(ctx, projectId);
  const algorithmId = await findNewestAlgorithm(ctx.db, project_key);
  if (algorithmId === undefined)
    throw new ApiError('NOT_FOUND', `Project \`${projectId}\` has no algorithm to train.`);
  return algorithmId;
}

async function deployedModel(ctx: Context, projectId: string): Promise<string> {
  const { deployment } = await getProject(ctx, projectId);
  if (!deployment)
    throw new ApiError(
      'PROJECT_NOT_DEPLOYED',
      `Project \`${projectId}\` has no deployed model, and the schedule names none.`,
    );
  return deployment.generator_model_id;
}
