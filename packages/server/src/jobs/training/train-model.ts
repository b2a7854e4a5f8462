import { newId } from '../../domain/ids.ts';
import { addTrainingSeconds } from '../../storage/postgres/accounts.ts';
import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import { deleteLooseObjects } from '../../storage/postgres/loose-objects.ts';
import { insertModel } from '../../storage/postgres/models.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import { findTrainingSource } from '../../storage/postgres/training-source.ts';
import type { Outcome, Work } from '../engine/run-jobs.ts';
import { runThread } from '../engine/run-thread.ts';
import { writeLoose } from '../engine/write-loose.ts';
import { JobError } from '../job-error.ts';
import type { Trained, TrainingOrder } from './protocol.ts';

export type TrainingSettings = Pick<TrainingOrder, 'databaseUrl' | 'objects' | 'threads'>;

const thread = {
  script: new URL('./trainer.ts', import.meta.url),
  memoryAdvice:
    'The data does not fit into the memory of the worker. /check-training says how much it needs: delete old events, lower "neighbors", or give the worker more memory.',
};

/** What a worker does for a TRAINING job. */
export function trainModel(db: Database, settings: TrainingSettings): Work<'TRAINING'> {
  return async (attempt, tools) => {
    const source = await findTrainingSource(db, attempt.project_key);
    if (!source) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
    const path = `models/${attempt.job_id}/${attempt.attempt}`;
    const keys = { objectKey: `${path}.tgm`, snapshotKey: `${path}.tgs` };
    const { algorithm_parameters: parameters } = attempt.job_data;
    const order: TrainingOrder = { ...settings, source, parameters, ...keys };
    const { written, discard } = await writeLoose(db, Object.values(keys), attempt, async () => {
      const trained = await runThread<Trained>(thread, order, tools);
      tools.report('publishing', 1);
      return outcomeOf(attempt, keys.objectKey, trained);
    });
    return { ...written, discard };
  };
}

function outcomeOf(
  attempt: AttemptRow<'TRAINING'>,
  objectKey: string,
  { object, snapshot, training }: Trained,
): Omit<Outcome, 'discard'> {
  const model_id = newId('model');
  return {
    result: { model_id },
    async publish(tx, seconds) {
      await deleteLooseObjects(tx, [objectKey, snapshot.key]);
      await insertModel(tx, {
        model_id,
        project_key: attempt.project_key,
        job_key: attempt.job_key,
        name: attempt.name,
        ...attempt.job_data,
        training,
        object_key: objectKey,
        object_size: object.size,
        object_sha256: object.sha256,
        snapshot,
      });
      await addTrainingSeconds(tx, attempt.account_id, seconds);
    },
  };
}
