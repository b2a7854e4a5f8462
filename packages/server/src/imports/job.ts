import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { datasetNotFound, namedDatasets } from '../datasets/get-dataset.ts';
import { invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { ImportLimits, JobDefinition, WorkerServices } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import { type ChildEnd, ChildKilledError, runChild } from '../jobs/engine/run-child.ts';
import type { AttemptContext, Work } from '../jobs/engine/run-jobs.ts';
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
  // An import takes one process and four connections.
  concurrency: ({ imports }) => imports.concurrency,
  // Files of one account never take all: the files of others may be small.
  maxPerAccount: ({ imports }) => Math.max(1, imports.concurrency - 1),
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
  for (const field of ['event_type', 'allow_old_ts'] as const)
    if (job_data[field] !== undefined && dataset.kind !== 'event')
      throw invalidField(field, 'applies only to an event dataset');
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const project = await getProject(ctx, project_id, tx);
    if (project[`${dataset.kind}_dataset_id`] !== dataset.id)
      throw datasetNotFound(dataset.kind, dataset.id, project_id);
    return submitJob(ctx, tx, project.project_key, { job_type: 'IMPORT', name, job_data });
  });
}

const script = new URL('./importer.ts', import.meta.url);

/** The work of an IMPORT job. An attempt after a failure starts again: records that are the same are not written twice. */
function importFiles({ db, databaseUrl, objects, store, imports }: WorkerServices): Work<'IMPORT'> {
  return async (attempt, context) => {
    const { account_id, job_id, job_data } = attempt;
    const [dataset] = namedDatasets(job_data);
    if (!dataset) throw new JobError('DATASET_DELETED', 'The dataset was deleted.');
    const rejectedKey = `results/${job_id}/${attempt.attempt}/rejected.ndjson`;
    // Removed here: a process that is killed removes nothing.
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
      allowOldTs: job_data.allow_old_ts,
      folder: folder.path,
      maxBytes: imports.maxBytes,
      rejectedKey,
    };
    const { written, discard } = await writeUnpublished(db, [rejectedKey], attempt, () =>
      readInChild(imports, task, context),
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

/** A file that ends its reader is invalid: another attempt would end the same way. */
async function readInChild(
  limits: ImportLimits,
  task: ImportTask,
  { signal, report }: AttemptContext,
): Promise<ImportResult> {
  let last = '';
  const context: AttemptContext = {
    signal,
    report(stage, fraction, message = '') {
      last = message;
      report(stage, fraction, message);
    },
  };
  try {
    return await runChild<ImportResult>(script, limits, task, context);
  } catch (error) {
    if (!(error instanceof ChildKilledError)) throw error;
    const reasons: Record<ChildEnd, string> = {
      memory: `reading on took more than ${Math.round(limits.memoryBytes / 2 ** 20).toLocaleString('en')} MiB of memory. Write a Parquet file with smaller row groups, or ask the operator to raise IMPORT_MEMORY_MB.`,
      cpu: `reading on took more than ${limits.cpuSeconds} seconds of CPU time without a result. Check the file with another program, write it again, or ask the operator to raise IMPORT_CPU_SECONDS.`,
      died: 'reading on ended the process that read it. Check the file with another program, and write it again.',
    };
    throw new JobError('FILE_INVALID', `${last ? `${last}; then ` : ''}${reasons[error.end]}`, error);
  }
}
