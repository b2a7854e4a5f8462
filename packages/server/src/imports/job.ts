import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { datasetNotFound, namedDatasets } from '../datasets/get-dataset.ts';
import { invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { JobDefinition, WorkerServices } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { fileTypes } from '../kernel/files/table.ts';
import { deleteOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import { getProject } from '../projects/get-project.ts';
import { listFiles } from './list-files.ts';
import type { ImportResult, ImportTask } from './protocol.ts';

export const importing: JobDefinition<'IMPORT'> = {
  submit: submitImport,
  work: importFiles,
  // An import takes one thread and four connections.
  concurrency: () => 1,
};

/** Only datasets of the project: while it exists, they cannot be deleted. Whether the files exist, the job finds out. */
async function submitImport(
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
    const project = await getProject(ctx, project_id, tx);
    if (project[`${dataset.kind}_dataset_id`] !== dataset.id)
      throw datasetNotFound(dataset.kind, dataset.id, project_id);
    return submitJob(ctx, tx, project.project_key, { job_type: 'IMPORT', name, job_data });
  });
}

const thread = {
  script: new URL('./importer.ts', import.meta.url),
  memoryAdvice:
    'The rows of a file do not fit into the memory of the worker. Write a Parquet file with smaller row groups, or give the worker more memory.',
};

/** The work of an IMPORT job. An attempt after a failure starts again: records that are the same are not written twice. */
function importFiles({ db, databaseUrl, objects, store }: WorkerServices): Work<'IMPORT'> {
  return async (attempt, context) => {
    const { account_id, job_id, job_data } = attempt;
    const [dataset] = namedDatasets(job_data);
    if (!dataset) throw new JobError('DATASET_DELETED', 'The dataset was deleted.');
    const rejectedKey = `results/${job_id}/${attempt.attempt}/rejected.ndjson`;
    // Removed here: a thread that is terminated removes nothing.
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-import-'));
    const task: ImportTask = {
      databaseUrl,
      objects,
      accountId: account_id,
      kind: dataset.kind,
      datasetId: dataset.id,
      files: await listFiles(store, account_id, job_data.path, context.signal),
      columns: job_data.columns,
      eventType: job_data.event_type,
      folder: folder.path,
      rejectedKey,
    };
    const { written, discard } = await writeUnpublished(db, [rejectedKey], attempt, () =>
      runThread<ImportResult>(thread, task, context),
    );
    context.report('publishing', 1);
    const { stored, message, recordCount, rejectedCount } = written;
    const rejected = {
      object_key: rejectedKey,
      ...stored,
      file_name: `rejected-${job_id}.ndjson`,
      content_type: fileTypes.NDJSON.contentType,
    };
    return {
      result: { files: [rejected], message, record_count: recordCount, rejected_count: rejectedCount },
      publish: (tx) => deleteOrphanedObjects(tx, [rejectedKey]),
      discard,
    };
  };
}
