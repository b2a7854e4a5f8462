import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { exportRecords } from './export-records.ts';
import { submitExport } from './submit-export.ts';

export const exporting: JobDefinition<'EXPORT'> = {
  submit: submitExport,
  work: ({ db, databaseUrl, objects }) => exportRecords(db, { databaseUrl, objects }),
  // An export takes one thread and one connection, and reads at the pace of the store.
  concurrency: () => 1,
  hasUserIdFields: true,
};
