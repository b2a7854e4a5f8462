import type { OperationName } from '../endpoints.ts';
import { datasetOperations } from './datasets.ts';
import { jobOperations } from './jobs.ts';
import { modelOperations } from './models.ts';
import type { Operation } from './operation.ts';
import { projectOperations } from './projects.ts';
import { recordOperations } from './records.ts';

/** The whole API. An endpoint without its operation, or an operation without its endpoint, does not compile. */
export const operations = {
  ...datasetOperations,
  ...recordOperations,
  ...projectOperations,
  ...jobOperations,
  ...modelOperations,
} as const satisfies Record<OperationName, Operation>;
