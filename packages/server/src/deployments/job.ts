import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { deployModels } from './deploy-models.ts';
import { submitDeployment } from './submit-deployment.ts';

export const deployment: JobDefinition<'DEPLOYMENT'> = {
  submit: submitDeployment,
  work: ({ db, store, hooks, databaseUrl, objects }) =>
    deployModels(db, store, hooks, { databaseUrl, objects }),
  // A deployment takes seconds, most of which it spends waiting. A guard computes for a few seconds more.
  concurrency: () => 1,
};
