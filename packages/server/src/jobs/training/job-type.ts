import type { JobDefinition } from '../engine/job-definition.ts';
import { helpTrainings } from './sharing/help-trainings.ts';
import { submitTraining } from './submit-training.ts';
import { trainModel } from './train-model.ts';

export const training: JobDefinition<'TRAINING'> = {
  submit: submitTraining,
  work: ({ db, databaseUrl, objects, threads, readers, windowBytes, ...sharing }) =>
    trainModel(db, { databaseUrl, objects, threads, readers, windowBytes }, sharing),
  idle: (worker) => (worker.sharedFromEvents > 0 ? helpTrainings(worker) : undefined),
  concurrency: ({ maxTrainings }) => maxTrainings,
};
