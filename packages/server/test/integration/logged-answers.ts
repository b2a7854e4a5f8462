import { newId, timeOfId } from '../../src/domain/ids.ts';
import { createLog } from '../../src/observability/log.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { DecisionLog } from '../../src/serving/decision-log/decision-log.ts';
import type { LoggedAnswer } from '../../src/storage/decisions/columns.ts';
import type { ObjectStore } from '../../src/storage/objects/store.ts';

/** An answer with two items, given now unless the fields say otherwise. */
export function loggedAnswer(
  fields: Pick<LoggedAnswer, 'account_id' | 'project_id'> & Partial<LoggedAnswer>,
): LoggedAnswer {
  const recommendation_id = fields.recommendation_id ?? newId('recommendation');
  return {
    recommendation_id,
    ts: timeOfId(recommendation_id),
    question: 'recommendItemsToUser',
    scenario: 'default',
    scenario_version: null,
    variant: null,
    model_id: 'mdl_test',
    ranker_model_id: null,
    user_id: null,
    item_ids: ['i1', 'i2'],
    detail: { scores: [2, 1], degraded: [], request: {} },
    ...fields,
  };
}

/** Writes the answers as a serving process does, and returns once they are in the store. */
export async function logAnswers(store: ObjectStore, answers: readonly LoggedAnswer[]): Promise<void> {
  const decisions = new DecisionLog({ store, log: createLog('silent', 'serving'), metrics: createMetrics() });
  for (const answer of answers) decisions.add(answer);
  await decisions.close();
}
