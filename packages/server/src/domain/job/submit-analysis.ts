import { lockAccount } from '../../storage/postgres/accounts.ts';
import type { JobRow } from '../../storage/postgres/jobs.ts';
import { findModelFiles, type ModelSnapshot } from '../../storage/postgres/models.ts';
import { findProject } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { Fault, notFound } from '../fault.ts';
import { foundProject } from '../project/get-project.ts';
import { submitJob } from './submit-job.ts';

type Analysis = Pick<
  Extract<JobRow, { job_type: 'QUERYING' | 'CLUSTERING' }>,
  'job_type' | 'name' | 'job_data'
>;

/** A job that asks a model. `check` sees what the model was trained on, and throws a Fault when that cannot be asked so. */
export async function submitAnalysis(
  ctx: Context,
  projectId: string,
  job: Analysis,
  check: (snapshot: ModelSnapshot) => void,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const { project_key } = foundProject(await findProject(tx, ctx.accountId, projectId));
    const model = await findModelFiles(tx, project_key, job.job_data.model_id);
    if (!model) throw notFound('model');
    if (!model.snapshot) {
      const message =
        'was trained by a version that did not keep what queries and clusterings need: train again, and use the new model';
      throw new Fault('INVALID_REQUEST', `The model ${message}.`, {
        errors: [{ path: 'model_id', message }],
      });
    }
    check(model.snapshot);
    return submitJob(ctx, tx, project_key, job);
  });
}
