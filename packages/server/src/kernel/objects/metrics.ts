import { counter } from '../observability/metrics.ts';

export const orphanedObjects = counter(
  'orphaned_objects_total',
  'Objects without a database row that this worker found in the object store',
);
