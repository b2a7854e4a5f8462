import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { datasetNotFound, namedDatasets } from '../datasets/get-dataset.ts';
import { findDataset } from '../datasets/rows/datasets.ts';
import { requireExperiment } from '../experiments/get-experiment.ts';
import { findExperiment } from '../experiments/rows/experiments.ts';
import { invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { JobDefinition, WorkerServices } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { deleteOrphanedObjects, insertOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { getProject } from '../projects/get-project.ts';
import { exportExposures } from './export-exposures.ts';
import type { ExportedDataset, ExportResult, ExportTask } from './protocol.ts';

export const exporting: JobDefinition<'EXPORT'> = {
  submit: submitExport,
  work: exportRecords,
  // An export takes one thread and one connection, and reads at the pace of the store.
  concurrency: () => 1,
  hasUserIdFields: true,
};

/** Only datasets of the project: while it exists, they cannot be deleted. */
async function submitExport(
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
    const project = await getProject(ctx, project_id, tx);
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

const thread = {
  script: new URL('./exporter.ts', import.meta.url),
  memoryAdvice: 'The export does not fit into the memory of the worker. Give the worker more memory.',
};

/** The work of an EXPORT job. Its thread records each file as orphaned before it writes it. */
function exportRecords({ db, databaseUrl, objects }: WorkerServices): Work<'EXPORT'> {
  return async (attempt, context) => {
    if (attempt.job_data.experiment_id !== undefined) return exportExposures(db, objects, attempt, context);
    const dataset = await findDatasetToExport(db, attempt);
    const folder = `results/${attempt.job_id}/${attempt.attempt}`;
    const { format, since_ts: sinceTs = 0 } = attempt.job_data;
    const { job_key, attempt: number } = attempt;
    const task: ExportTask = {
      databaseUrl,
      objects,
      attempt: { job_key, attempt: number },
      dataset,
      format,
      sinceTs,
      folder,
      fileName: `${dataset.kind}s-${attempt.job_id}`,
    };
    // If the thread fails, its files stay recorded, so that a worker removes them.
    const { files, recordCount } = await runThread<ExportResult>(thread, task, context);
    context.report('publishing', 1);
    const keys = files.map((file) => file.object_key);
    return {
      result: { files, message: null, record_count: recordCount },
      publish: (tx) => deleteOrphanedObjects(tx, keys),
      // Recorded again: a worker that was given up may finish a file after another worker removed it.
      discard: () => insertOrphanedObjects(db, keys, undefined),
    };
  };
}

async function findDatasetToExport(
  db: Database,
  { account_id, job_data }: AttemptRow<'EXPORT'>,
): Promise<ExportedDataset> {
  const [named] = namedDatasets(job_data);
  const dataset = named && (await findDataset(db, account_id, named.kind, named.id));
  if (!dataset) throw new JobError('DATASET_DELETED', 'The dataset was deleted.');
  return dataset;
}
