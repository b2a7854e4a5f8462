import type { JobDefinition } from '../engine/job-definition.ts';
import { deployModels } from './deploy-models.ts';
import { submitDeployment } from './submit-deployment.ts';

export const deployment: JobDefinition<'DEPLOYMENT'> = {
  submit: submitDeployment,
  work: ({ db, store }) => deployModels(db, store),
  // A deployment takes seconds, most of which it spends waiting.
  concurrency: () => 1,
};
