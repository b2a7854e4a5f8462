import { timeOfId } from '../../http/ids.ts';
import type { AnsweredCall } from '../../serving/call/serve.ts';
import { appliedRules } from '../../serving/questions/show-items.ts';
import type { LoggedAnswer } from './columns.ts';
import { variantKey } from './keys.ts';

/** The scenario of calls that name none. */
const defaultScenario = 'default';
/** A longer request is not kept: the buffer is for answers. */
const maxRequestLength = 8192;
/** What the log has elsewhere, or what says nothing about the choice of items. */
const omitted: ReadonlySet<string> = new Set([
  'project_id',
  'scenario',
  'user_id',
  'attributes',
  'explain',
  'cursor',
]);

/** An answer as the log keeps it: which items, why, and who decided. Attributes of items are not kept. */
export function loggedAnswer(call: AnsweredCall): LoggedAnswer {
  const { question, project, request, scenarioVersion, isTrial, trace, response } = call;
  const rules = trace.page.map(appliedRules);
  const kept = Object.fromEntries(Object.entries(request).filter(([name]) => !omitted.has(name)));
  return {
    recommendation_id: response.recommendation_id,
    account_id: project.account_id,
    project_id: project.project_id,
    ts: timeOfId(response.recommendation_id),
    question,
    scenario: request.scenario ?? defaultScenario,
    scenario_version: scenarioVersion,
    variant: trace.variant ? variantKey(trace.variant.experiment_id, trace.variant.name) : null,
    model_id: trace.generator?.model_id ?? null,
    ranker_model_id: trace.ranker?.model_id ?? null,
    user_id: response.user_id,
    is_trial: isTrial,
    item_ids: trace.page.map(({ candidate }) => candidate.itemId),
    detail: {
      scores: trace.page.map(({ candidate }) => candidate.score),
      ...(rules.some(({ length }) => length > 0) && { rules }),
      ...(request.explain && { reasons: response.results.map(({ reasons }) => reasons ?? null) }),
      degraded: response.degraded ?? [],
      request: kept,
    },
  };
}

/** The answer as a line of JSON. Measures the request only if the line is long, so that an answer is usually written once. */
export function lineOf(answer: LoggedAnswer): string {
  const line = JSON.stringify(answer);
  if (line.length <= maxRequestLength) return line;
  if (JSON.stringify(answer.detail.request).length <= maxRequestLength) return line;
  return JSON.stringify({ ...answer, detail: { ...answer.detail, request: null } });
}
