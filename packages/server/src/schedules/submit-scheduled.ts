import { type JobType, limits, type SubmitRequest } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { getProject } from '../projects/get-project.ts';
import { findNewestAlgorithm } from '../projects/rows/algorithms.ts';
import type { Services } from '../services.ts';
import type { ClaimedSchedule } from './rows.ts';

type Scheduled = Omit<ClaimedSchedule, 'is_running'>;

/** Submits the job of a run. The request was checked when the schedule was created or changed. */
export async function submitScheduled(
  { jobDefinition }: Pick<Services, 'jobDefinition'>,
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
export async function submitDeploymentOf(
  { jobDefinition }: Pick<Services, 'jobDefinition'>,
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
