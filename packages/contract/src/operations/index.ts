import type { OperationName } from '../endpoints.ts';
import { apiKeyOperations } from './api-keys.ts';
import { datasetOperations } from './datasets.ts';
import { erasureOperations } from './erasures.ts';
import { experimentOperations } from './experiments.ts';
import { jobOperations } from './jobs.ts';
import { modelOperations } from './models.ts';
import type { Operation } from './operation.ts';
import { outcomeOperations } from './outcomes.ts';
import { peopleOperations } from './people.ts';
import { projectOperations } from './projects.ts';
import { recommendationOperations } from './recommendations.ts';
import { recordOperations } from './records.ts';
import { scenarioOperations } from './scenarios.ts';
import { scheduleOperations } from './schedules.ts';
import { usageOperations } from './usage.ts';
import { webhookOperations } from './webhooks.ts';

/** All operations of the API. An endpoint without an operation, or the reverse, does not compile. */
export const operations = {
  ...datasetOperations,
  ...recordOperations,
  ...erasureOperations,
  ...projectOperations,
  ...jobOperations,
  ...modelOperations,
  ...scenarioOperations,
  ...recommendationOperations,
  ...experimentOperations,
  ...scheduleOperations,
  ...webhookOperations,
  ...outcomeOperations,
  ...usageOperations,
  ...peopleOperations,
  ...apiKeyOperations,
} as const satisfies Record<OperationName, Operation>;
