import { algorithmOf } from '@tastegraph/algorithms';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { AttemptContext } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import type { JobRow, ResultFile } from '../jobs/rows/jobs.ts';
import { submitJob } from '../jobs/submit-job.ts';
import type { ObjectsSettings } from '../kernel/objects/open.ts';
import { deleteOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { StoredObject } from '../kernel/objects/store.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import { getProject } from '../projects/get-project.ts';
import { findModelFiles, lockModel, type ModelSnapshot } from '../projects/rows/models.ts';
import type { AnalysisResult, AnalysisTask, ModelToAnalyse, PlannedFile } from './protocol.ts';

/** The outcome of an analysis, and how to publish it. */
interface AnalysisOutcome<Found> {
  readonly found: Found;
  readonly files: ResultFile[];
  readonly publish: (tx: Transaction) => Promise<void>;
  readonly discard: () => Promise<void>;
}

const memoryAdvice =
  'The model and its training snapshot do not fit into the memory of the worker. Give the worker more memory.';

/** A thread writes the files. They count as orphaned until the job succeeds. It fails if the model was deleted meanwhile. */
export async function runAnalysis<Found>(
  db: Database,
  objects: ObjectsSettings,
  attempt: AttemptRow<'QUERYING' | 'CLUSTERING'>,
  context: AttemptContext,
  { script, files: planned, request }: { script: URL; files: readonly PlannedFile[]; request: object },
): Promise<AnalysisOutcome<Found>> {
  const model = await findModelToAnalyse(db, attempt);
  const folder = `results/${attempt.job_id}/${attempt.attempt}`;
  const keys = planned.map((file) => `${folder}/${file.object_name}`);
  const task: AnalysisTask = { objects, model, keys, request };
  const thread = { script, memoryAdvice };
  try {
    const { written, discard } = await writeUnpublished(db, keys, attempt, async () => {
      const { stored, found } = await runThread<AnalysisResult<Found>>(thread, task, context);
      context.report('publishing', 1);
      return { found, files: planned.map((file, index) => fileOf(file, keys[index], stored[index])) };
    });
    return {
      ...written,
      async publish(tx) {
        if (!(await lockModel(tx, model.model_key))) throw modelDeleted();
        await deleteOrphanedObjects(tx, keys);
      },
      discard,
    };
  } catch (error) {
    // If the model was deleted meanwhile, its files are gone too: report that instead.
    if (!(error instanceof JobError) && !context.signal.aborted) await findModelToAnalyse(db, attempt);
    throw error;
  }
}

async function findModelToAnalyse(
  db: Database,
  { project_key, job_data }: AttemptRow<'QUERYING' | 'CLUSTERING'>,
): Promise<ModelToAnalyse> {
  const found = await findModelFiles(db, project_key, job_data.model_id);
  if (!found) throw modelDeleted();
  const { snapshot, ...model } = found;
  if (!snapshot)
    throw new JobError(
      'MODEL_TOO_OLD',
      'The model has no training snapshot: the snapshot was removed when a user was erased. Train again and use the new model.',
    );
  return { ...model, snapshot };
}

function modelDeleted(): JobError {
  return new JobError('MODEL_DELETED', 'The model was deleted. Submit the job again with another model.');
}

function fileOf(
  { file_name, content_type }: PlannedFile,
  object_key: string | undefined,
  stored: StoredObject | undefined,
): ResultFile {
  if (object_key === undefined || !stored) throw new Error(`${file_name} was not written`);
  return { object_key, ...stored, file_name, content_type };
}

type Analysis = Pick<
  Extract<JobRow, { job_type: 'QUERYING' | 'CLUSTERING' }>,
  'job_type' | 'name' | 'job_data'
>;

/** Submits a job that queries a model. `check` throws an ApiError if the model's snapshot cannot answer the request. */
export async function submitAnalysis(
  ctx: Context,
  projectId: string,
  job: Analysis,
  check?: (snapshot: ModelSnapshot) => void,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const { project_key } = await getProject(ctx, projectId, tx);
    const model = await findModelFiles(tx, project_key, job.job_data.model_id);
    if (!model || !(await lockModel(tx, model.model_key)))
      throw notFound('Model', job.job_data.model_id, projectId);
    const declined = algorithmOf(model.algorithm_type).declines[job.job_type];
    if (declined !== undefined) throw unfit(declined);
    if (!model.snapshot)
      throw unfit(
        'has no training snapshot: the snapshot was removed when a user was erased. Train again and use the new model',
      );
    check?.(model.snapshot);
    return submitJob(ctx, tx, project_key, job);
  });
}

function unfit(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The model ${message}.`, {
    errors: [{ path: 'model_id', message }],
  });
}
