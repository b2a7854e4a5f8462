import { limits } from '@tastegraph/contract';
import { lockQps } from '../accounts/rows/accounts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { getLockedModel } from '../projects/get-model.ts';
import { requireProject } from '../projects/get-project.ts';
import { findProject } from '../projects/rows/projects.ts';
import { deployModels } from './deploy-models.ts';

interface DeploymentRequest {
  readonly project_id: string;
  readonly name: string;
  readonly generator_model_id: string;
  readonly ranker_model_id?: string | null;
  /** If absent, the current qps stays. A project without a deployment gets the default. */
  readonly qps?: number | null;
  readonly guard?: {
    readonly max_loss: number;
    readonly when_undecided?: 'DEPLOY' | 'REFUSE' | null;
  } | null;
}

/** The current deployment serves until the job succeeds, and stays if the job fails. */
async function submitDeployment(
  ctx: Context,
  {
    project_id,
    name,
    generator_model_id,
    ranker_model_id = null,
    qps: requestedQps,
    guard,
  }: DeploymentRequest,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    const { cap } = await lockQps(tx, ctx.accountId);
    const project = await findProject(tx, ctx.accountId, project_id);
    const { project_key, deployment } = requireProject(project, project_id);
    const qps = requestedQps ?? deployment?.qps ?? limits.qpsDefault;
    for (const id of [generator_model_id, ranker_model_id])
      if (id !== null) await getLockedModel(ctx, tx, project_id, id);
    if (cap !== null && requestedQps !== undefined && requestedQps !== null && requestedQps > cap) {
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `The plan allows a qps of at most ${cap} per deployment, and ${requestedQps} was requested. Lower qps, or ask the operator to raise the cap with "admin set-plan".`,
      );
    }
    // With `keeps_qps` the job keeps the qps that is current when it publishes. Workers of earlier releases read `qps`.
    const keeps_qps = requestedQps === undefined || requestedQps === null;
    const job_data = { generator_model_id, ranker_model_id, qps, keeps_qps, ...guardOf(guard) };
    return submitJob(ctx, tx, project_key, { job_type: 'DEPLOYMENT', name, job_data });
  });
}

/** As it is stored, without nulls. */
function guardOf(guard: DeploymentRequest['guard']) {
  if (!guard) return {};
  const { max_loss, when_undecided } = guard;
  return { guard: { max_loss, ...(when_undecided ? { when_undecided } : {}) } };
}

export const deployment: JobDefinition<'DEPLOYMENT'> = {
  submit: submitDeployment,
  work: ({ db, store, hooks, databaseUrl, objects }) =>
    deployModels(db, store, hooks, { databaseUrl, objects }),
  // A deployment takes seconds, most of which it spends waiting. A guard computes for a few seconds more.
  concurrency: () => 1,
};
