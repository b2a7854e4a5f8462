import { type Algorithm, algorithmOf } from '@tastegraph/algorithms';
import type { Request, Response } from '@tastegraph/contract';
import { getDataset } from '../datasets/get-dataset.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { formatCount } from '../kernel/lib/format.ts';
import { cancelAfter } from '../kernel/postgres/pool.ts';
import { getAlgorithm } from '../projects/get-algorithm.ts';
import { listModels } from '../projects/get-model.ts';
import { getProject } from '../projects/get-project.ts';
import type { ModelRow } from '../projects/rows/models.ts';
import { findProblems } from './check/findings.ts';
import { type Survey, type SurveyBounds, sizeOf, surveyData } from './check/survey.ts';
import { readSecondsPerEvent } from './rows/training-rows.ts';

/** Times are of one core of a small machine with the data in memory. In total about 1 s for a million events, 1.2 s for ten million. */
const surveyBounds: SurveyBounds = {
  // Counting takes 1 s, half of it for 50,000 items. Two million events of distinct items took 7 s, which is too long.
  exactEvents: 1_000_000,
  // An item with 1 of 100,000 events is in the sample with 95 % probability. Up to half a second per statement.
  sampleEvents: 300_000,
  // 160 MB to read if nothing is cached; how long that takes was not measured. In a partition of 150 million events, these
  // pages have 1.3 million events, of which about 9000 belong to a dataset with just over `exactEvents` events.
  samplePages: 20_000,
  // In a test, the estimated number of users was off by at most 1 %, and that of users with a single event, who were few, by
  // at most 20 %. Reads at most ten million index entries.
  drawnUsers: 10_000,
  eventsPerUser: 1000,
  // A tenth of a second per million.
  searchedEvents: 20_000_000,
  // Reading this many takes a tenth of a second.
  joinedItems: 300_000,
  // 100 MB if the records have the maximum size.
  attributeRecords: 5000,
};

/** Time limits of one attempt at a part and of the whole survey. A database that needs longer is busy with other work. */
const attemptMs = 5000;
const surveyMs = 15_000;

/** What a caller that names no algorithm is likely to train. */
const defaultAlgorithm = { algorithm_type: 'G1', algorithm_parameters: {} };

/** The statements share no snapshot: events that arrive meanwhile may be in one count and not in another. */
async function checkTraining(
  ctx: Context,
  { project_id, algorithm_id }: Request<'checkTraining'>,
): Promise<Response<'checkTraining'>> {
  const project = await getProject(ctx, project_id);
  const { algorithm_type, algorithm_parameters } =
    algorithm_id === undefined ? defaultAlgorithm : await getAlgorithm(ctx, project_id, algorithm_id);
  const algorithm = algorithmOf(algorithm_type);
  const datasets = {
    user: await getDataset(ctx, 'user', project.user_dataset_id),
    item: await getDataset(ctx, 'item', project.item_dataset_id),
    event: await getDataset(ctx, 'event', project.event_dataset_id),
  };
  const end = performance.now() + surveyMs;
  const openLimitedDb = () => {
    const attemptEnd = Math.min(end, performance.now() + attemptMs);
    return cancelAfter(ctx.db, () => attemptEnd - performance.now());
  };
  const survey = await surveyData(openLimitedDb, datasets, project.target_event_type, surveyBounds);
  const newest = await listModels(ctx, project_id, { page_size: 1 }, (model) => model);
  // Titles and pictures are for people: nobody expects a model to learn from them.
  const shown = new Set([project.title_attribute, project.picture_attribute]);
  const attributes = survey.attributes.filter(({ kind, name }) => kind !== 'item' || !shown.has(name));
  const findings = findProblems({ ...survey, attributes }, algorithm, algorithm_parameters);
  return {
    can_train: findings.every(({ severity }) => severity !== 'ERROR'),
    sampled: survey.sampled,
    counts: {
      events: survey.events,
      target_events: survey.targetEvents,
      users: survey.users,
      users_with_one_event: survey.usersWithOneEvent,
      items: survey.items,
      items_without_record: survey.itemsWithoutRecord,
      user_records: survey.userRecords,
      item_records: survey.itemRecords,
    },
    event_types: [...survey.eventTypes],
    first_ts: survey.first_ts,
    last_ts: survey.last_ts,
    findings,
    not_checked: [...survey.notChecked],
    estimate: estimateTraining(survey, algorithm, algorithm_parameters, newest.items[0]),
  };
}

/** From the project's latest model if the same algorithm trained it, otherwise from the algorithm's rates. */
export function estimateTraining(
  survey: Pick<Survey, 'events' | 'users' | 'userRecords' | 'items' | 'itemRecords' | 'notChecked'>,
  algorithm: Algorithm,
  parameters: object,
  latest: ModelRow | undefined,
): Response<'checkTraining'>['estimate'] {
  const { memoryBytes, ...rated } = algorithm.estimate(sizeOf(survey), parameters);
  const memory_bytes = Math.ceil(memoryBytes);
  if (!latest || latest.algorithm_type !== algorithm.type || latest.training.data.events === 0)
    return {
      seconds: Math.ceil(rated.seconds + readSecondsPerEvent * survey.events),
      memory_bytes,
      basis: `${rated.basis} Reading takes ${readSecondsPerEvent * 1e6} seconds per million events through one connection.`,
    };
  const { model_id, training, algorithm_parameters } = latest;
  const { events } = training.data;
  const past = { parameters: algorithm_parameters, events, seconds: training.seconds };
  const seconds = algorithm.secondsLike(past, parameters, survey.events);
  const basis = `Seconds: scaled from the project's latest model, ${model_id}, trained on ${formatCount(training.data.events, 'event')}. Memory: from our benchmarks.`;
  return { seconds: Math.ceil(seconds), memory_bytes, basis };
}

export const api = () => ({ checkTraining }) as const satisfies Handlers;
