import type { JobDefinition } from '../../jobs/engine/job-definition.ts';
import { clusterUsers } from './cluster-users.ts';
import { submitClustering } from './submit-clustering.ts';

export const clustering: JobDefinition<'CLUSTERING'> = {
  submit: submitClustering,
  work: ({ db, objects }) => clusterUsers(db, { objects }),
  // A clustering takes one thread for seconds.
  concurrency: () => 1,
  hasUserIdFields: true,
};
