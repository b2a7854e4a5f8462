import { enforcePlanCap } from '../../domain/account/enforce-plan-cap.ts';
import { requireAlgorithm } from '../../domain/algorithm/get-algorithm.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { Context } from '../../domain/context.ts';
import { submitJob } from '../../domain/job/submit-job.ts';
import { requireProject } from '../../domain/project/get-project.ts';
import { lockTrainingHours } from '../../storage/postgres/accounts.ts';
import { findAlgorithm } from '../../storage/postgres/algorithms.ts';
import { findProject } from '../../storage/postgres/projects.ts';

export interface TrainingRequest {
  readonly project_id: string;
  readonly algorithm_id: string;
  readonly name: string;
  readonly holdout_hours?: number | null;
}

/** The job keeps the current parameters: a later change of the algorithm does not affect it. */
export async function submitTraining(
  ctx: Context,
  { project_id, algorithm_id, name, holdout_hours }: TrainingRequest,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    const { cap, used } = await lockTrainingHours(tx, ctx.accountId);
    const { project_key } = requireProject(await findProject(tx, ctx.accountId, project_id), project_id);
    const algorithm = requireAlgorithm(
      await findAlgorithm(tx, ctx.accountId, project_id, algorithm_id),
      project_id,
      algorithm_id,
    );
    if (cap !== null && used >= cap) {
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `The plan allows ${cap} training hours and ${used.toFixed(2)} are used. Ask the operator to raise the cap with "admin set-plan".`,
      );
    }
    await enforcePlanCap(tx, ctx.accountId, 'models', () => 1);
    const { algorithm_type, algorithm_parameters } = algorithm;
    const job_data = {
      algorithm_type,
      algorithm_parameters,
      ...(holdout_hours ? { holdout_hours } : {}),
    };
    return submitJob(ctx, tx, project_key, { job_type: 'TRAINING', name, job_data });
  });
}
