import { getHeapStatistics } from 'node:v8';
import { explainUnfit, type ModelRole } from '../deployments/explain-unfit.ts';
import { createFilterCache } from '../filters/compile-filter.ts';
import { JobError, TransientJobError } from '../jobs/engine/job-error.ts';
import { DeadlineExceededError } from '../kernel/lib/within.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { ModelCache } from '../models/model-cache.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import { CallClock } from '../serving/call-clock.ts';
import { ItemMirrors } from '../serving/catalogue/item-mirrors.ts';
import type { Degradation } from '../serving/degradation.ts';
import { placementOf } from '../serving/placement.ts';
import { answerPlacement } from '../serving/questions/answer-placement.ts';
import { readKnownUsers } from '../serving/rows/serving-reads.ts';
import type { ServingContext } from '../serving/search/question-call.ts';
import { createLiveReads, type ReadStates } from '../serving/state/live-reads.ts';
import type { RecommendingTask, UserAnswer } from './protocol.ts';

/** Nobody waits for a single answer: this only ends calls that hang. */
const deadlineMs = 60_000;
/** The share of the heap for a mirror of the items, which makes selective filters fast. */
const mirrorShare = 0.25;

/** More filters than one request can have; a long filter counts as several. */
const maxFilters = 1000;

interface AnsweringContext {
  readonly db: Database;
  /** How many statements may be in flight. */
  readonly connections: number;
  readonly store: ObjectStore;
}

/** Loads the models, and answers each user as a call would. Throws instead of a degraded answer, so that the job is retried. */
export async function openAnswering(
  { db, connections, store }: AnsweringContext,
  { project, models, request }: RecommendingTask,
): Promise<(userId: string) => Promise<UserAnswer>> {
  const placement = placementOf(request);
  const filters = createFilterCache(maxFilters);
  const cache = new ModelCache(store, Number.MAX_SAFE_INTEGER);
  await load(cache, 'generator', models.generator);
  if (models.ranker) await load(cache, 'ranker', models.ranker);

  const readStates: ReadStates = async (on, asked) => {
    const userIds = asked.map(({ userId }) => userId);
    const users = await readKnownUsers(on, project, userIds);
    return users.map((user) => ({ ...models, qps: Number.MAX_SAFE_INTEGER, ...user }));
  };
  const serving: ServingContext = {
    reads: createLiveReads(db, connections, readStates),
    models: cache,
    // Without a mirror, items are read from the database.
    mirrors: new ItemMirrors(db, getHeapStatistics().heap_size_limit * mirrorShare, () => undefined),
    // Answers have no further pages.
    cursors: { get: async () => undefined },
    // Jobs never request popular items.
    trends: { get: () => Promise.reject(new Error('events are not counted in jobs')) },
    // It changes while a job runs, and the answers of a job belong together.
    takenItems: { addTo: (_project, _model, late) => late },
    compileFilter: (text, accountId) => filters.get(accountId, text),
    deadlineMs,
    // Without a last known deployment, a call that cannot read the user fails.
    lastKnown: { get: () => undefined, set: () => undefined, delete: () => undefined },
  };
  return async (user_id) => {
    const degraded: Degradation[] = [];
    const call = {
      serving,
      question: 'recommendItemsToUser',
      project,
      clock: new CallClock(deadlineMs),
      admit: async () => undefined,
      degraded,
      // Answers of jobs are in their results, not in the decision log.
      trace: { page: [] },
    };
    try {
      const answer = await answerPlacement(call, { ...placement, user_id });
      if (degraded[0]) throw degraded[0].error;
      if (!answer) throw new Error('the user was not read');
      return { user_id, results: answer.results, shortfall: answer.shortfall ?? null };
    } catch (error) {
      throw error instanceof DeadlineExceededError
        ? new TransientJobError('DATABASE_UNAVAILABLE', error)
        : error;
    }
  };
}

async function load(cache: ModelCache, role: ModelRole, model: DeployedModel): Promise<void> {
  try {
    await cache.get(model);
  } catch (error) {
    const reason = explainUnfit(role, error);
    throw reason === undefined ? error : new JobError('MODEL_UNFIT', reason);
  }
}
