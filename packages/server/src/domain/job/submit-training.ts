import { lockTrainingHours } from '../../storage/postgres/accounts.ts';
import { findAlgorithm } from '../../storage/postgres/algorithms.ts';
import { findProject } from '../../storage/postgres/projects.ts';
import { foundAlgorithm } from '../algorithm/get-algorithm.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { foundProject } from '../project/get-project.ts';
import { submitJob } from './submit-job.ts';

export interface TrainingRequest {
  readonly project_id: string;
  readonly algorithm_id: string;
  readonly name: string;
}

/** Trains with the algorithm's parameters as they are now; changing them later does not change the job. */
export async function submitTraining(
  ctx: Context,
  { project_id, algorithm_id, name }: TrainingRequest,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    const { cap, used } = await lockTrainingHours(tx, ctx.accountId);
    const { project_key } = foundProject(await findProject(tx, ctx.accountId, project_id));
    const algorithm = foundAlgorithm(await findAlgorithm(tx, ctx.accountId, project_id, algorithm_id));
    if (cap !== null && used >= cap) {
      throw new Fault(
        'QUOTA_EXCEEDED',
        `The plan allows ${cap} training hours and ${used.toFixed(2)} are used. Have the plan raised.`,
      );
    }
    const { algorithm_type, algorithm_parameters } = algorithm;
    const job_data = { algorithm_type, algorithm_parameters };
    return submitJob(ctx, tx, project_key, { job_type: 'TRAINING', name, job_data });
  });
}
