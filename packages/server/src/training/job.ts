import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { submitTraining } from './submit-training.ts';
import { trainModel } from './train-model.ts';

export const training: JobDefinition<'TRAINING'> = {
  submit: submitTraining,
  work: ({ db, databaseUrl, objects, threads, readers, windowBytes }) =>
    trainModel(db, { databaseUrl, objects, threads, readers, windowBytes }),
  concurrency: ({ maxTrainings }) => maxTrainings,
};
