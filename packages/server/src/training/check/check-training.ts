import { algorithmOf } from '@tastegraph/algorithms';
import type { Request, Response } from '@tastegraph/contract';
import { getDataset } from '../../datasets/get-dataset.ts';
import type { Context } from '../../http/context.ts';
import { cancelAfter } from '../../kernel/postgres/pool.ts';
import { getAlgorithm } from '../../projects/get-algorithm.ts';
import { listModels } from '../../projects/get-model.ts';
import { getProject } from '../../projects/get-project.ts';
import { estimateTraining } from './estimate.ts';
import { findProblems } from './findings.ts';
import { type SurveyBounds, surveyData } from './survey.ts';

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

/**
 * Checks the project's data and estimates what a training would take. The statements share no snapshot, so events that
 * arrive meanwhile may be in one count and not in another.
 */
export async function checkTraining(
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
