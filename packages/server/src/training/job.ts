import { algorithmOf } from '@tastegraph/algorithms';
import type { SubmitRequest } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { addTrainingSeconds, findTrainingHours, lockTrainingHours } from '../accounts/rows/accounts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Outcome, Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { deleteOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { getAlgorithm } from '../projects/get-algorithm.ts';
import { getProject } from '../projects/get-project.ts';
import { insertModel } from '../projects/rows/models.ts';
import type { TrainingResult, TrainingTask } from './protocol.ts';
import { findTrainingSource } from './rows/training-rows.ts';

/** The job keeps the current parameters: a later change of the algorithm does not affect it. */
async function submitTraining(
  ctx: Context,
  { project_id, algorithm_id, name, holdout_hours }: SubmitRequest<'TRAINING'>,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    const { cap, used } = await lockTrainingHours(tx, ctx.accountId);
    const { project_key } = await getProject(ctx, project_id, tx);
    const algorithm = await getAlgorithm(ctx, project_id, algorithm_id, tx);
    if (cap !== null && used >= cap) {
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `The plan allows ${cap} training hours and ${used.toFixed(2)} are used. Ask the operator to raise the cap with "admin set-plan".`,
      );
    }
    await enforcePlanCap(tx, ctx.accountId, 'models', () => 1);
    const { algorithm_type, algorithm_parameters } = algorithm;
    const job_data = {
      algorithm_type,
      algorithm_parameters,
      ...(holdout_hours ? { holdout_hours } : {}),
    };
    return submitJob(ctx, tx, project_key, { job_type: 'TRAINING', name, job_data });
  });
}

type TrainingSettings = Pick<TrainingTask, 'databaseUrl' | 'objects' | 'threads' | 'readers' | 'windowBytes'>;

const script = new URL('./trainer.ts', import.meta.url);

/** The work of a TRAINING job. */
export function trainModel(db: Database, settings: TrainingSettings): Work<'TRAINING'> {
  return async (attempt, context) => {
    await checkHours(db, attempt.account_id);
    const source = await findTrainingSource(db, attempt.project_key);
    if (!source) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
    const path = `models/${attempt.job_id}/${attempt.attempt}`;
    const keys = { objectKey: `${path}.tgm`, snapshotKey: `${path}.tgs` };
    const { algorithm_type: algorithm, algorithm_parameters: parameters, holdout_hours } = attempt.job_data;
    const untilTs = holdout_hours === undefined ? undefined : Date.now() - holdout_hours * 3_600_000;
    const memoryAdvice = `The data does not fit into the memory of the worker. ${algorithmOf(algorithm).memoryAdvice}`;
    const task: TrainingTask = {
      ...settings,
      ...keys,
      source,
      algorithm,
      parameters,
      untilTs,
      memoryAdvice,
    };
    const thread = { script, memoryAdvice };
    const { written, discard } = await writeUnpublished(db, Object.values(keys), attempt, async () => {
      const trained = await runThread<TrainingResult>(thread, task, context);
      context.report('publishing', 1);
      return outcomeOf(attempt, keys.objectKey, trained);
    });
    return { ...written, discard };
  };
}

/** Checked again at the start: jobs that ran first may have used up the hours. */
async function checkHours(db: Database, accountId: string): Promise<void> {
  const { cap, used } = await findTrainingHours(db, accountId);
  if (cap === null || used < cap) return;
  throw new JobError(
    'QUOTA_EXCEEDED',
    `The plan allows ${cap} training hours, and ${used.toFixed(2)} were used when the job was about to start. Ask the operator to raise the cap with "admin set-plan", then submit the job again.`,
  );
}

function outcomeOf(
  attempt: AttemptRow<'TRAINING'>,
  objectKey: string,
  { object, snapshot, training }: TrainingResult,
): Omit<Outcome, 'discard'> {
  const model_id = newId('model');
  return {
    result: { model_id },
    async publish(tx, seconds) {
      await deleteOrphanedObjects(tx, [objectKey, snapshot.key]);
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

export const training: JobDefinition<'TRAINING'> = {
  submit: submitTraining,
  work: ({ db, databaseUrl, objects, threads, readers, windowBytes }) =>
    trainModel(db, { databaseUrl, objects, threads, readers, windowBytes }),
  concurrency: ({ maxTrainings }) => maxTrainings,
};
