import type { Estimate, Metrics, TrainingReport, TypeContribution, TypeWorth } from '@tastegraph/algorithms';
import type { ModelTraining } from '../projects/rows/models.ts';
import type { TrainingInput } from './training-input.ts';

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
