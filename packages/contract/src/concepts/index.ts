import type { OperationName } from '../endpoints.ts';
import type { DescribedOperation } from '../operation.ts';
import { apiKeyOperations } from './api-keys.ts';
import { datasetOperations } from './datasets.ts';
import { erasureOperations } from './erasures.ts';
import { experimentOperations } from './experiments.ts';
import { itemSearchOperations } from './item-search.ts';
import { jobOperations } from './jobs.ts';
import { modelOperations } from './models.ts';
import { outcomeOperations } from './outcomes.ts';
import { peopleOperations } from './people.ts';
import { algorithmOperations, projectOperations } from './projects.ts';
import { recommendationOperations } from './recommendations.ts';
import { recordOperations } from './records.ts';
import { scenarioOperations } from './scenarios.ts';
import { scheduleOperations } from './schedules.ts';
import { trainingOperations } from './training.ts';
import { usageOperations } from './usage.ts';
import { webhookOperations } from './webhooks.ts';

/** All operations of the API, one line per concept. An endpoint without an operation, or the reverse, does not compile. */
export const operations = {
  ...datasetOperations,
  ...recordOperations,
  ...itemSearchOperations,
  ...erasureOperations,
  ...projectOperations,
  ...algorithmOperations,
  ...trainingOperations,
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
} as const satisfies Record<OperationName, DescribedOperation>;
