import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { lockTrainingHours } from '../accounts/rows/accounts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { requireAlgorithm } from '../projects/get-algorithm.ts';
import { requireProject } from '../projects/get-project.ts';
import { findAlgorithm } from '../projects/rows/algorithms.ts';
import { findProject } from '../projects/rows/projects.ts';

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
