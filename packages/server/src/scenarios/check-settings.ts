import { operations, type Request, type ScenarioQuestion, scenarioQuestions } from '@tastegraph/contract';
import { compileFilter } from '../filters/compile-filter.ts';
import { ApiError } from '../http/api-error.ts';
import { placementOf } from '../serving/placement.ts';
import { compileRules } from '../serving/rules/compile-rules.ts';

export type ScenarioSettings = Omit<Request<'updateScenario'>, 'project_id' | 'name' | 'version'>;

/**
 * Throws an ApiError for settings that a call could not use. Their schema is already checked; this checks their
 * conditions, and that the call has these fields.
 */
export async function checkSettings(
  accountId: string,
  question: ScenarioQuestion,
  settings: ScenarioSettings,
): Promise<void> {
  const { properties } = operations[scenarioQuestions[question]].request;
  const errors = Object.keys(settings)
    .filter((field) => !Object.hasOwn(properties, field))
    .map((path) => ({ path, message: `is not allowed for the question ${question}` }));
  if (errors.length > 0) {
    const detail = errors.map(({ path, message }) => `${path} ${message}`);
    throw new ApiError('INVALID_REQUEST', `${detail.join('; ')}.`, { errors });
  }
  const placement = placementOf(settings);
  if (placement.filter_query !== null) compileFilter(placement.filter_query);
  await compileRules({ serving: { compileFilter }, project: { account_id: accountId } }, placement);
}
