import type { OperationName } from '../endpoints.ts';
import { apiKeyExamples } from './api-keys.ts';
import { datasetExamples } from './datasets.ts';
import { erasureExamples } from './erasures.ts';
import type { Examples } from './example.ts';
import { experimentExamples } from './experiments.ts';
import { jobExamples } from './jobs.ts';
import { modelExamples } from './models.ts';
import { outcomeExamples } from './outcomes.ts';
import { peopleExamples } from './people.ts';
import { projectExamples } from './projects.ts';
import { recommendationExamples } from './recommendations.ts';
import { recordExamples } from './records.ts';
import { scenarioExamples } from './scenarios.ts';
import { scheduleExamples } from './schedules.ts';
import { usageExamples } from './usage.ts';
import { webhookExamples } from './webhooks.ts';

/** One example per operation. An operation without an example does not compile. */
export const examples: Examples<OperationName> = {
  ...datasetExamples,
  ...recordExamples,
  ...erasureExamples,
  ...projectExamples,
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
