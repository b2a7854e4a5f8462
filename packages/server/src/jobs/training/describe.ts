import type { Estimate, Metrics, Training } from '@tastegraph/algorithms';
import type { ModelTraining } from '../../storage/postgres/models.ts';
import type { TrainingInput } from './read-data.ts';

/** What the model's record says of it. */
export function describeTraining(
  { holdOut, validation, popularity, coldUsers, coldItems }: Training,
  { counts, eventTypes, leftOut }: TrainingInput,
): Pick<ModelTraining, 'held_out' | 'metrics' | 'data' | 'left_out'> {
  return {
    held_out: holdOut === 'tail' ? 'latest' : 'random',
    metrics: {
      model: metrics(validation),
      popularity: metrics(popularity),
      cold_users: coldUsers
        ? { model: metrics(coldUsers.model), popularity: metrics(coldUsers.popularity) }
        : null,
      cold_items: { items: coldItems.items, recall_at_20: estimate(coldItems.recall20) },
    },
    data: {
      events: counts.events,
      target_events: counts.targetEvents,
      users: counts.users,
      items: counts.items,
      items_without_record: counts.itemsWithoutRecord,
      event_types: eventTypes,
    },
    left_out: leftOut,
  };
}

const metrics = ({ users, recall20, ndcg20, coverage }: Metrics) => ({
  users,
  recall_at_20: estimate(recall20),
  ndcg_at_20: estimate(ndcg20),
  coverage: estimate(coverage),
});

const estimate = ({ mean, margin }: Estimate) => ({
  value: round(mean),
  low: round(Math.max(0, mean - margin)),
  high: round(Math.min(1, mean + margin)),
});

/** Finer than any interval here. */
const round = (value: number) => Math.round(value * 100_000) / 100_000;
