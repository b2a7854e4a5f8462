import { type Response, scenarioQuestions } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { timeOfId } from '../http/ids.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
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
  const log = { store, keptDays: config.jobs.decisionLogDays };
  return {
    getRecommendation: async (call, { project_id, recommendation_id }) => {
      const answer = await getRecommendation(log, call, project_id, recommendation_id);
      const { scores, rules, reasons, degraded, request } = answer.detail;
      return {
        recommendation_id,
        project_id,
        question: questionOf.get(answer.question) as GivenRecommendation['question'],
        ts: answer.ts,
        expires_ts: answer.expires_ts,
        user_id: answer.user_id,
        is_trial: answer.is_trial,
        scenario: answer.scenario,
        scenario_version: answer.scenario_version,
        experiment_id: answer.experiment_id,
        variant: answer.variant,
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
    getOutcomes: async (call, { project_id, ...query }) => getOutcomes(call, project_id, query),
  } as const satisfies Handlers;
}

type StoredAnswer = NonNullable<Awaited<ReturnType<typeof findAnswer>>>;

/** Where answers are kept, and for how long. */
interface DecisionLogReader {
  readonly store: Pick<ObjectStore, 'read' | 'list'>;
  readonly keptDays: number;
}

interface GivenAnswer extends StoredAnswer {
  readonly expires_ts: number;
  readonly experiment_id: string | null;
}

/** An answer of the project as it was given, and when it expires. */
async function getRecommendation(
  { store, keptDays }: DecisionLogReader,
  ctx: Context,
  projectId: string,
  recommendationId: string,
): Promise<GivenAnswer> {
  await getProject(ctx, projectId);
  const ts = timeOfId(recommendationId);
  const { db, accountId } = ctx;
  // A file may outlive its last day by a moment.
  const isKept = dayOf(ts) >= dayOf(Date.now()) - keptDays;
  const answer = isKept
    ? await findAnswer({ db, store }, { accountId, projectId, recommendationId, ts })
    : undefined;
  if (!answer)
    throw new ApiError(
      'NOT_FOUND',
      `Recommendation \`${recommendationId}\` was not found in this project. An answer can be read a few seconds after it was given, and for ${keptDays} days.`,
    );
  return { ...answer, ...splitVariantKey(answer.variant), expires_ts: (dayOf(ts) + keptDays + 1) * dayMs };
}
