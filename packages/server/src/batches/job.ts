import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { recommendToUsers } from './recommend-to-users.ts';
import { submitRecommending } from './submit-recommending.ts';

export const recommending: JobDefinition<'RECOMMENDING'> = {
  submit: submitRecommending,
  work: ({ db, databaseUrl, objects, recommendingFileUsers: fileUsers }) =>
    recommendToUsers(db, { databaseUrl, objects, fileUsers }),
  // A job takes one thread and a few connections.
  concurrency: () => 1,
  hasUserIdFields: true,
};
