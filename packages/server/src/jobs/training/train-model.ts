import { Worker } from 'node:worker_threads';
import { newId } from '../../domain/ids.ts';
import { addTrainingSeconds } from '../../storage/postgres/accounts.ts';
import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import { deleteLooseObject, insertLooseObject } from '../../storage/postgres/loose-objects.ts';
import { insertModel } from '../../storage/postgres/models.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import { findTrainingSource } from '../../storage/postgres/training-source.ts';
import type { Outcome, Tools, Work } from '../engine/run-jobs.ts';
import { Trouble } from '../engine/trouble.ts';
import { JobError } from '../job-error.ts';
import { isOutOfMemory, outOfMemory } from './out-of-memory.ts';
import type { FromTrainer, Trained, TrainingOrder } from './protocol.ts';

export type TrainingSettings = Pick<TrainingOrder, 'databaseUrl' | 'objects' | 'threads'>;

/** A thread that was told to stop and has not by then is ended: it is in a long calculation. */
const graceMs = 2000;
/** Longer than the longest step that says nothing on the largest data; a thread silent for so long hangs. */
const silentMs = 30 * 60_000;

/** What a worker does for a TRAINING job. */
export function trainModel(db: Database, settings: TrainingSettings): Work<'TRAINING'> {
  return async (attempt, tools) => {
    const source = await findTrainingSource(db, attempt.project_key);
    if (!source) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
    const path = `models/${attempt.job_id}/${attempt.attempt}`;
    const keys = { objectKey: `${path}.tgm`, snapshotKey: `${path}.tgs` };
    for (const key of Object.values(keys)) await insertLooseObject(db, key, attempt);
    const { algorithm_parameters: parameters } = attempt.job_data;
    // A worker that was given up may end its files after another removed what was there of them.
    const discard = async () => {
      for (const key of Object.values(keys)) await insertLooseObject(db, key, undefined);
    };
    try {
      const trained = await runTrainer({ ...settings, source, parameters, ...keys }, tools);
      tools.report('publishing', 1);
      return { ...outcomeOf(attempt, keys.objectKey, trained), discard };
    } catch (error) {
      await discard().catch(() => undefined);
      throw error;
    }
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
      // From here on the model's row refers to them. Were one not there, somebody would have removed the object.
      for (const key of [objectKey, snapshot.key])
        if (!(await deleteLooseObject(tx, key))) throw new Error(`the object ${key} was removed`);
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

/** Resolves or rejects when the thread has ended: nothing of it goes on. */
async function runTrainer(order: TrainingOrder, { signal, report }: Tools): Promise<Trained> {
  const thread = new Worker(new URL('./trainer.ts', import.meta.url), { workerData: order });
  let answer: FromTrainer | undefined;
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stopWithin = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void thread.terminate(), ms);
  };
  const stop = () => {
    thread.postMessage('stop');
    stopWithin(graceMs);
  };
  thread.on('message', (message: FromTrainer) => {
    if (!('progress' in message)) answer = message;
    else if (!signal.aborted) {
      stopWithin(silentMs);
      report(message.progress.stage, message.progress.fraction, message.progress.message);
    }
  });
  thread.on('error', (error) => {
    failure = error as Error;
  });
  stopWithin(silentMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    // Not `once(thread, …)`: that would reject on 'error', before the thread has ended.
    await new Promise((resolve) => thread.once('exit', resolve));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (failure) throw isOutOfMemory(failure) ? outOfMemory() : failure;
  if (answer && 'trained' in answer) return answer.trained;
  if (answer && 'failed' in answer) throw new JobError(answer.failed.code, answer.failed.message);
  if (answer && 'trouble' in answer) throw new Trouble(answer.trouble, new Error(answer.stack));
  throw new Error('the training said nothing for half an hour');
}
