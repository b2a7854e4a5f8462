import type { ObjectsSettings } from '../../storage/objects/open.ts';
import type { StoredObject } from '../../storage/objects/store.ts';
import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import type { ResultFile } from '../../storage/postgres/jobs.ts';
import { deleteLooseObjects } from '../../storage/postgres/loose-objects.ts';
import { findModelFiles, lockModel } from '../../storage/postgres/models.ts';
import type { Database, Transaction } from '../../storage/postgres/pool.ts';
import type { Tools } from '../engine/run-jobs.ts';
import { runThread } from '../engine/run-thread.ts';
import { writeLoose } from '../engine/write-loose.ts';
import { JobError } from '../job-error.ts';
import type { AnalysedModel, Analysis, AnalysisOrder, PlannedFile } from './protocol.ts';

export interface AnalysisSettings {
  readonly objects: ObjectsSettings;
}

/** What an analysis came to, and how it is published. */
interface Analysed<Found> {
  readonly found: Found;
  readonly files: ResultFile[];
  readonly publish: (tx: Transaction) => Promise<void>;
  readonly discard: () => Promise<void>;
}

const memoryAdvice =
  'The model, and what it was trained on, do not fit into the memory of the worker. Give the worker more memory.';

/**
 * Asks a model in a thread, which writes the files. Whatever happens, they are known to be loose until the job succeeds; and
 * it does not once the model is deleted.
 */
export async function runAnalysis<Found>(
  db: Database,
  { objects }: AnalysisSettings,
  attempt: AttemptRow<'QUERYING' | 'CLUSTERING'>,
  tools: Tools,
  { script, files: planned, question }: { script: URL; files: readonly PlannedFile[]; question: object },
): Promise<Analysed<Found>> {
  const model = await findAnalysed(db, attempt);
  const folder = `results/${attempt.job_id}/${attempt.attempt}`;
  const keys = planned.map((file) => `${folder}/${file.object_name}`);
  const order: AnalysisOrder = { objects, model, keys, question };
  const thread = { script, memoryAdvice };
  try {
    const { written, discard } = await writeLoose(db, keys, attempt, async () => {
      const { stored, found } = await runThread<Analysis<Found>>(thread, order, tools);
      tools.report('publishing', 1);
      return { found, files: planned.map((file, place) => fileOf(file, keys[place], stored[place])) };
    });
    return {
      ...written,
      async publish(tx) {
        if (!(await lockModel(tx, model.model_key))) throw modelDeleted();
        await deleteLooseObjects(tx, keys);
      },
      discard,
    };
  } catch (error) {
    // The files of a model that was deleted meanwhile are gone too, and that is then the reason.
    if (!(error instanceof JobError) && !tools.signal.aborted) await findAnalysed(db, attempt);
    throw error;
  }
}

async function findAnalysed(
  db: Database,
  { project_key, job_data }: AttemptRow<'QUERYING' | 'CLUSTERING'>,
): Promise<AnalysedModel> {
  const found = await findModelFiles(db, project_key, job_data.model_id);
  if (!found) throw modelDeleted();
  const { snapshot, ...model } = found;
  if (!snapshot)
    throw new JobError(
      'MODEL_TOO_OLD',
      'The model was trained by a version that did not keep what queries and clusterings need. Train again, and use the new model.',
    );
  return { ...model, snapshot };
}

function modelDeleted(): JobError {
  return new JobError('MODEL_DELETED', 'The model was deleted. Submit the job with another one.');
}

function fileOf(
  { file_name, content_type }: PlannedFile,
  object_key: string | undefined,
  stored: StoredObject | undefined,
): ResultFile {
  if (object_key === undefined || !stored) throw new Error(`${file_name} was not written`);
  return { object_key, ...stored, file_name, content_type };
}
