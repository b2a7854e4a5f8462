import type { OperationName } from '../endpoints.ts';
import type { Examples, Operation } from '../operation.ts';
import { apiKeyExamples, apiKeyOperations } from './api-keys.ts';
import { datasetExamples, datasetOperations } from './datasets.ts';
import { erasureExamples, erasureOperations } from './erasures.ts';
import { experimentExamples, experimentOperations } from './experiments.ts';
import { itemSearchExamples, itemSearchOperations } from './item-search.ts';
import { jobExamples, jobOperations } from './jobs.ts';
import { modelExamples, modelOperations } from './models.ts';
import { outcomeExamples, outcomeOperations } from './outcomes.ts';
import { peopleExamples, peopleOperations } from './people.ts';
import { projectExamples, projectOperations } from './projects.ts';
import { recommendationExamples, recommendationOperations } from './recommendations.ts';
import { recordExamples, recordOperations } from './records.ts';
import { scenarioExamples, scenarioOperations } from './scenarios.ts';
import { scheduleExamples, scheduleOperations } from './schedules.ts';
import { trainingExamples, trainingOperations } from './training.ts';
import { usageExamples, usageOperations } from './usage.ts';
import { webhookExamples, webhookOperations } from './webhooks.ts';

/** All operations of the API. An endpoint without an operation, or the reverse, does not compile. */
export const operations = {
  ...datasetOperations,
  ...recordOperations,
  ...itemSearchOperations,
  ...erasureOperations,
  ...projectOperations,
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
} as const satisfies Record<OperationName, Operation>;

/** One example per operation. An operation without an example does not compile. */
export const examples: Examples<typeof operations> = {
  ...datasetExamples,
  ...recordExamples,
  ...itemSearchExamples,
  ...erasureExamples,
  ...projectExamples,
  ...trainingExamples,
  ...jobExamples,
  ...modelExamples,
  ...scenarioExamples,
  ...recommendationExamples,
  ...experimentExamples,
  ...scheduleExamples,
  ...webhookExamples,
  ...outcomeExamples,
  ...usageExamples,
  ...peopleExamples,
  ...apiKeyExamples,
};
