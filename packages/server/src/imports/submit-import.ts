import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { datasetNotFound } from '../datasets/get-dataset.ts';
import { namedDatasets } from '../datasets/named-datasets.ts';
import { invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { requireProject } from '../projects/get-project.ts';
import { findProject } from '../projects/rows/projects.ts';

/** Only datasets of the project: while it exists, they cannot be deleted. Whether the files exist, the job finds out. */
export async function submitImport(
  ctx: Context,
  { name, project_id, ...job_data }: Request<'submitImportJob'>,
): Promise<{ job_id: string }> {
  const [dataset, ...others] = namedDatasets(job_data);
  if (!dataset || others.length > 0)
    throw invalidField(
      `${others[0]?.kind ?? 'event'}_dataset_id`,
      'must be the only one: pass exactly one of user_dataset_id, item_dataset_id and event_dataset_id',
    );
  if (job_data.event_type !== undefined && dataset.kind !== 'event')
    throw invalidField('event_type', 'applies only to an event dataset');
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const project = requireProject(await findProject(tx, ctx.accountId, project_id), project_id);
    if (project[`${dataset.kind}_dataset_id`] !== dataset.id)
      throw datasetNotFound(dataset.kind, dataset.id, project_id);
    return submitJob(ctx, tx, project.project_key, { job_type: 'IMPORT', name, job_data });
  });
}
