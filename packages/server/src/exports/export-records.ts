import { namedDatasets } from '../datasets/named-datasets.ts';
import { findDataset } from '../datasets/rows/datasets.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import { deleteOrphanedObjects, insertOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { exportExposures } from './export-exposures.ts';
import type { ExportedDataset, ExportResult, ExportTask } from './protocol.ts';

const thread = {
  script: new URL('./exporter.ts', import.meta.url),
  memoryAdvice: 'The export does not fit into the memory of the worker. Give the worker more memory.',
};

/** The work of an EXPORT job. Its thread records each file as orphaned before it writes it. */
export function exportRecords(
  db: Database,
  settings: Pick<ExportTask, 'databaseUrl' | 'objects'>,
): Work<'EXPORT'> {
  return async (attempt, context) => {
    if (attempt.job_data.experiment_id !== undefined)
      return exportExposures(db, settings.objects, attempt, context);
    const dataset = await findDatasetToExport(db, attempt);
    const folder = `results/${attempt.job_id}/${attempt.attempt}`;
    const { format, since_ts: sinceTs = 0 } = attempt.job_data;
    const { job_key, attempt: number } = attempt;
    const task: ExportTask = {
      ...settings,
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
  const { dataset_key, kind, partition, attribute_schema, record_count } = dataset;
  return { dataset_key, kind, partition, attribute_schema, record_count };
}
