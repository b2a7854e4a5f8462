import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { importFiles } from './import-files.ts';
import { submitImport } from './submit-import.ts';

export const importing: JobDefinition<'IMPORT'> = {
  submit: submitImport,
  work: ({ db, databaseUrl, objects, store }) => importFiles(db, { databaseUrl, objects, store }),
  // An import takes one thread and four connections.
  concurrency: () => 1,
};
