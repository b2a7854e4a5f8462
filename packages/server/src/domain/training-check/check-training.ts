import type { Request, Response } from '@tastegraph/contract';
import { getAlgorithm } from '../algorithm/get-algorithm.ts';
import type { Context } from '../context.ts';
import { getDataset } from '../dataset/get-dataset.ts';
import { listModels } from '../model/list-models.ts';
import { getProject } from '../project/get-project.ts';
import { estimateTraining } from './estimate.ts';
import { findProblems } from './findings.ts';
import { type SurveyBounds, surveyData } from './survey.ts';

/** Seconds are of one core of a small machine, data in memory: in all about 1 for a million events, 1.2 for ten million. */
const surveyBounds: SurveyBounds = {
  // Counting takes 1 s, half of it for 50,000 items. Where every event is of another item, two million took 7 s: too long.
  exactEvents: 1_000_000,
  // An item of one event in 100,000 is seen in 95 of 100 cases; up to half a second a statement.
  sampleEvents: 300_000,
  // 160 MB to read when nothing is in memory, which was not timed. In a partition of 150 million events these pages hold 1.3 million; of a dataset
  // just too large to be counted, about 9000.
  samplePages: 20_000,
  // Users came out within 1 %, the few of one event within 20 %. At most ten million index entries are read.
  drawnUsers: 10_000,
  eventsPerUser: 1000,
  // A tenth of a second a million.
  searchedEvents: 20_000_000,
  // 100 MB where records are as large as they may be.
  attributeRecords: 5000,
};

/**
 * What a training of the project would find in its data, and would take. Reads only, statement by statement: events that
 * arrive meanwhile may be in one count and not in another.
 */
export async function checkTraining(
  ctx: Context,
  { project_id, algorithm_id }: Request<'checkTraining'>,
): Promise<Response<'checkTraining'>> {
  const project = await getProject(ctx, project_id);
  const { algorithm_parameters = {} } =
    algorithm_id === undefined ? {} : await getAlgorithm(ctx, project_id, algorithm_id);
  const datasets = {
    user: await getDataset(ctx, 'user', project.user_dataset_id),
    item: await getDataset(ctx, 'item', project.item_dataset_id),
    event: await getDataset(ctx, 'event', project.event_dataset_id),
  };
  const survey = await surveyData(ctx.db, datasets, project.target_event_type, surveyBounds);
  const newest = await listModels(ctx, project_id, { page_size: 1 }, (model) => model);
  const findings = findProblems(survey, algorithm_parameters);
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
    estimate: estimateTraining(survey, algorithm_parameters, newest.items[0]),
  };
}
