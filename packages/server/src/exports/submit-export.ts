import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { datasetNotFound } from '../datasets/get-dataset.ts';
import { namedDatasets } from '../datasets/named-datasets.ts';
import { requireExperiment } from '../experiments/get-experiment.ts';
import { findExperiment } from '../experiments/rows/experiments.ts';
import { invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { requireProject } from '../projects/get-project.ts';
import { findProject } from '../projects/rows/projects.ts';

/** Only datasets of the project: while it exists, they cannot be deleted. */
export async function submitExport(
  ctx: Context,
  { name, project_id, ...job_data }: Request<'submitExportJob'>,
): Promise<{ job_id: string }> {
  const { experiment_id } = job_data;
  const [dataset, ...others] = namedDatasets(job_data);
  if (others.length > 0 || (dataset === undefined) === (experiment_id === undefined))
    throw invalidField(
      `${others[0]?.kind ?? 'event'}_dataset_id`,
      'must be the only one: pass exactly one of user_dataset_id, item_dataset_id, event_dataset_id and experiment_id',
    );
  if (job_data.since_ts !== undefined && dataset?.kind !== 'event')
    throw invalidField('since_ts', 'applies only to an event dataset');
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const project = requireProject(await findProject(tx, ctx.accountId, project_id), project_id);
    if (experiment_id !== undefined)
      requireExperiment(
        await findExperiment(tx, ctx.accountId, project_id, experiment_id),
        project_id,
        experiment_id,
      );
    if (dataset && project[`${dataset.kind}_dataset_id`] !== dataset.id)
      throw datasetNotFound(dataset.kind, dataset.id, project_id);
    return submitJob(ctx, tx, project.project_key, { job_type: 'EXPORT', name, job_data });
  });
}
