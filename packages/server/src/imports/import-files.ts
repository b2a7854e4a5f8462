import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedDatasets } from '../datasets/named-datasets.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import { fileTypes } from '../kernel/files/table.ts';
import { deleteOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { listFiles } from './list-files.ts';
import type { ImportResult, ImportTask } from './protocol.ts';

const thread = {
  script: new URL('./importer.ts', import.meta.url),
  memoryAdvice:
    'The rows of a file do not fit into the memory of the worker. Write a Parquet file with smaller row groups, or give the worker more memory.',
};

interface ImportSettings extends Pick<ImportTask, 'databaseUrl' | 'objects'> {
  readonly store: ObjectStore;
}

/** The work of an IMPORT job. An attempt after a failure starts again: records that are the same are not written twice. */
export function importFiles(db: Database, { store, ...settings }: ImportSettings): Work<'IMPORT'> {
  return async (attempt, context) => {
    const { account_id, job_id, job_data } = attempt;
    const [dataset] = namedDatasets(job_data);
    if (!dataset) throw new JobError('DATASET_DELETED', 'The dataset was deleted.');
    const rejectedKey = `results/${job_id}/${attempt.attempt}/rejected.ndjson`;
    // Removed here: a thread that is terminated removes nothing.
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-import-'));
    const task: ImportTask = {
      ...settings,
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
