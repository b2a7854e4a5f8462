import { algorithmOf } from '@tastegraph/algorithms';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { JobRow } from '../jobs/rows/jobs.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { requireProject } from '../projects/get-project.ts';
import { findModelFiles, lockModel, type ModelSnapshot } from '../projects/rows/models.ts';
import { findProject } from '../projects/rows/projects.ts';

type Analysis = Pick<
  Extract<JobRow, { job_type: 'QUERYING' | 'CLUSTERING' }>,
  'job_type' | 'name' | 'job_data'
>;

/** Submits a job that queries a model. `check` throws an ApiError if the model's snapshot cannot answer the request. */
export async function submitAnalysis(
  ctx: Context,
  projectId: string,
  job: Analysis,
  check: (snapshot: ModelSnapshot) => void,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const { project_key } = requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
    const model = await findModelFiles(tx, project_key, job.job_data.model_id);
    if (!model || !(await lockModel(tx, model.model_key)))
      throw notFound('Model', job.job_data.model_id, projectId);
    const declined = algorithmOf(model.algorithm_type).declines[job.job_type];
    if (declined !== undefined) throw unfit(declined);
    if (!model.snapshot)
      throw unfit(
        'has no training snapshot: the snapshot was removed when a user was erased, or an early version trained the model. Train again and use the new model',
      );
    check(model.snapshot);
    return submitJob(ctx, tx, project_key, job);
  });
}

function unfit(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The model ${message}.`, {
    errors: [{ path: 'model_id', message }],
  });
}
