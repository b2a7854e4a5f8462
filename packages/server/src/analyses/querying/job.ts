import type { JobDefinition } from '../../jobs/engine/job-definition.ts';
import { answerQueries } from './answer-queries.ts';
import { submitQuerying } from './submit-querying.ts';

export const querying: JobDefinition<'QUERYING'> = {
  submit: submitQuerying,
  work: ({ db, objects }) => answerQueries(db, { objects }),
  // A query takes one thread for seconds.
  concurrency: () => 1,
  hasUserIdFields: true,
};
