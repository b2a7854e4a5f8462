import {
  type Algorithm,
  countTargets,
  type DataNeeds,
  type DataSize,
  type Estimate,
  type Interactions,
  type Metrics,
  type TrainingReport,
  type TypeContribution,
  type TypeWorth,
} from '@tastegraph/algorithms';
import { isBeyondKernel, isOutOfMemory, JobError } from '../jobs/engine/job-error.ts';
import { formatCount } from '../kernel/lib/format.ts';
import type { ModelTraining } from '../projects/rows/models.ts';
import type { EventTypes } from './event-types.ts';
import type { TrainingSource } from './rows/training-rows.ts';
import type { TrainingInput } from './training-input.ts';

/** Throws a JobError, which lists the event types, if there is too little data to learn the target from. */
export function checkEnough(
  events: Interactions,
  types: EventTypes,
  source: TrainingSource,
  { targetUsers, targetItems }: DataNeeds,
): void {
  const target = JSON.stringify(source.target_event_type);
  const { dataset_id } = source.events;
  const existingTypes = types.summary();
  if (existingTypes === '')
    throw new JobError(
      'NO_TARGET_EVENTS',
      `Event dataset ${dataset_id} is empty. Import events of type ${target}, then train again.`,
    );
  if (types.targetCount === 0)
    throw new JobError(
      'NO_TARGET_EVENTS',
      `Event dataset ${dataset_id} has no events of type ${target}; it has ${existingTypes}. Import events of that type, or create a project whose target_event_type is one of the existing types.`,
    );
  const { users, items } = countTargets(events);
  if (users < targetUsers || items < targetItems)
    throw new JobError(
      'TOO_LITTLE_DATA',
      `Only ${formatCount(users, 'user')} and ${formatCount(items, 'item')} in event dataset ${dataset_id} have ${target} events with an event_value above 0, and a model needs at least ${formatCount(targetUsers, 'user')} and ${formatCount(targetItems, 'item')}. The dataset has ${existingTypes}. Import more such events, or create a project with a more frequent target_event_type.`,
    );
}

/** Throws a JobError if the algorithm can never train on this much data, however much memory the worker has. */
export function checkSize(algorithm: Algorithm, parameters: object, size: DataSize): void {
  const refusal = algorithm.refuse(size, parameters);
  if (refusal !== undefined) throw new JobError('MODEL_TOO_LARGE', refusal);
}

/** Turns an out-of-memory error into a JobError that says what to do; returns any other error unchanged. */
export function explainMemory(
  error: unknown,
  algorithm: Algorithm,
  parameters: object,
  size: DataSize,
): unknown {
  if (!isOutOfMemory(error)) return error;
  const { memoryAdvice } = algorithm;
  const doubt = isBeyondKernel(error) ? algorithm.doubt(size, parameters) : undefined;
  if (doubt !== undefined) return new JobError('MODEL_TOO_LARGE', doubt);
  const data = `${formatCount(size.events, 'event')} with ${formatCount(size.items, 'item')}`;
  return new JobError(
    'OUT_OF_MEMORY',
    `Training on ${data} does not fit into the memory of the worker. ${memoryAdvice}`,
  );
}

/** The training as shown in the model's record. */
export function describeTraining(
  report: TrainingReport,
  { counts, eventTypes, leftOut }: TrainingInput,
): Pick<ModelTraining, 'held_out' | 'metrics' | 'data' | 'left_out' | 'other_event_types'> {
  const { heldOut, validationUsers, test, popularity, coldUsers, coldItems, otherTypes } = report;
  return {
    held_out: heldOut,
    metrics: {
      validation_users: validationUsers,
      test_users: test.users,
      model: metrics(test),
      popularity: metrics(popularity),
      cold_users: coldUsers
        ? { model: metrics(coldUsers.model), popularity: metrics(coldUsers.popularity) }
        : null,
      cold_items: {
        items: coldItems.items,
        users: coldItems.users,
        recall_at_20: estimate(coldItems.recall20),
      },
    },
    data: {
      events: counts.events,
      target_events: counts.targetEvents,
      users: counts.users,
      items: counts.items,
      items_without_record: counts.itemsWithoutRecord,
      event_types: eventTypes,
      ...(counts.newestEventTs === undefined ? {} : { newest_event_ts: counts.newestEventTs }),
    },
    left_out: [...leftOut, ...unsampledUsers(report, counts.users)],
    ...(otherTypes && {
      other_event_types: otherTypes.types.map((worth) => describeType(worth, eventTypes, otherTypes.fade)),
    }),
  };
}

function unsampledUsers({ sampledUsers }: TrainingReport, users: number): TrainingInput['leftOut'] {
  if (sampledUsers === undefined) return [];
  const why =
    'with this many events, the parameters are chosen on a sample of users; the model learns from all of them';
  return [{ what: 'users (only in the search for parameters)', count: users - sampledUsers, why }];
}

type OtherEventType = NonNullable<ModelTraining['other_event_types']>[number];

function describeType(
  { type, visitors, active, tried }: TypeWorth,
  eventTypes: readonly string[],
  fade: number,
): OtherEventType {
  return {
    event_type: eventTypes[type] ?? '',
    visitors: contribution(visitors),
    active_users: contribution(active),
    halfway_target_events: fade,
    tried_weights: tried.map(({ weight, ndcg20 }) => ({ weight, ndcg_at_20: round(ndcg20) })),
  };
}

const contribution = ({ weight, hint, users, ndcg20, ndcg20Without }: TypeContribution) => ({
  weight,
  own_item_weight: hint,
  users,
  ndcg_at_20: estimate(ndcg20),
  ndcg_at_20_without: estimate(ndcg20Without),
});

const metrics = ({ users, recall20, ndcg20, coverage }: Metrics) => ({
  users,
  recall_at_20: estimate(recall20),
  ndcg_at_20: estimate(ndcg20),
  coverage: estimate(coverage),
});

const estimate = ({ mean, low, high }: Estimate) => ({
  value: round(mean),
  low: round(low),
  high: round(high),
});

/** Finer than any confidence interval here. */
const round = (value: number) => Math.round(value * 100_000) / 100_000;
