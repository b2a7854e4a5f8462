import { type Response, scenarioQuestions } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { timeOfId } from '../http/ids.ts';
import { getProject } from '../projects/get-project.ts';
import type { Services } from '../services.ts';
import { getOutcomes } from './get-outcomes.ts';
import { findAnswer } from './log/find-answer.ts';
import { dayMs, dayOf, splitVariantKey } from './log/keys.ts';
import { attributionAge } from './metrics.ts';
import { findAttributionAge } from './rows/outcome-states.ts';

type GivenRecommendation = Response<'getRecommendation'>;
type GivenResult = GivenRecommendation['results'][number];

const questionOf = new Map(
  Object.entries(scenarioQuestions).map(([question, name]) => [name as string, question]),
);

export function api({ db, store, config, metrics }: Pick<Services, 'db' | 'store' | 'config' | 'metrics'>) {
  // Reported here and not by the workers, because it matters most when no worker is running.
  metrics.watch(attributionAge, () => findAttributionAge(db));
  const keptDays = config.jobs.decisionLogDays;
  return {
    getRecommendation: async (call, { project_id: projectId, recommendation_id: recommendationId }) => {
      await getProject(call, projectId);
      const ts = timeOfId(recommendationId);
      const ref = { accountId: call.accountId, projectId, recommendationId, ts };
      // A file may outlive its last day by a moment.
      const isKept = dayOf(ts) >= dayOf(Date.now()) - keptDays;
      const answer = isKept ? await findAnswer({ db: call.db, store }, ref) : undefined;
      if (!answer)
        throw new ApiError(
          'NOT_FOUND',
          `Recommendation \`${recommendationId}\` was not found in this project. An answer can be read a few seconds after it was given, and for ${keptDays} days.`,
        );
      const { scores, rules, reasons, degraded, request } = answer.detail;
      return {
        recommendation_id: recommendationId,
        project_id: projectId,
        question: questionOf.get(answer.question) as GivenRecommendation['question'],
        ts: answer.ts,
        expires_ts: (dayOf(ts) + keptDays + 1) * dayMs,
        user_id: answer.user_id,
        is_trial: answer.is_trial,
        scenario: answer.scenario,
        scenario_version: answer.scenario_version,
        ...splitVariantKey(answer.variant),
        generator_model_id: answer.model_id,
        ranker_model_id: answer.ranker_model_id,
        request,
        degraded: [...degraded],
        results: answer.item_ids.map((item_id, index) => ({
          item_id,
          position: index + 1,
          score: scores[index] ?? 0,
          rules: (rules?.[index] ?? []) as GivenResult['rules'],
          reasons: (reasons?.[index] ?? null) as GivenResult['reasons'],
        })),
      };
    },
    getOutcomes,
  } as const satisfies Handlers;
}
