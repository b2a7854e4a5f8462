import type { Model } from './find.ts';
import { pluralize } from './terminal/format.ts';
import { table } from './terminal/table.ts';

type Metrics = Model['training']['metrics'];
type Estimate = Metrics['model']['recall_at_20'];

/** Metrics of the model and of popularity, on users that were not used to choose parameters, with 95 % confidence intervals. */
export function metricsTable({ training }: Model): string {
  const { model, popularity, cold_users, cold_items } = training.metrics;
  const rows = [
    ['recall@20', interval(model.recall_at_20), interval(popularity.recall_at_20)],
    ['NDCG@20', interval(model.ndcg_at_20), interval(popularity.ndcg_at_20)],
    ['coverage', interval(model.coverage), interval(popularity.coverage)],
  ];
  if (cold_users)
    rows.push([
      'recall@20, cold users',
      interval(cold_users.model.recall_at_20),
      interval(cold_users.popularity.recall_at_20),
    ]);
  if (cold_items.items > 0) rows.push(['recall@20, cold items', interval(cold_items.recall_at_20), '-']);
  const { data, left_out } = training;
  const notes = left_out.map(
    ({ what, count, why }) => `Left out: ${what} (${count.toLocaleString('en')}), because ${why}`,
  );
  return [
    table(['', 'this model', 'popularity'], rows),
    `${evaluationNote(training)}; trained on ${pluralize(data.target_events, 'target event')} of ${pluralize(data.users, 'user')} with ${pluralize(data.items, 'item')}.`,
    ...notes,
    ...eventTypesTable(training.other_event_types ?? []),
  ].join('\n');
}

/** Older models have no separate test users: they were measured on the users that their parameters were chosen on. */
function evaluationNote({ held_out, metrics }: Model['training']): string {
  const { validation_users, test_users, model } = metrics;
  if (validation_users === undefined || test_users === undefined)
    return `Measured on held-out (${held_out}) target events of ${pluralize(model.users, 'user')}, which were also used to choose the parameters`;
  const chosen = `Parameters chosen on held-out (${held_out}) target events of ${pluralize(validation_users, 'user')}`;
  return test_users === 0
    ? `${chosen}; no users were left to measure on`
    : `${chosen}, measured on those of ${pluralize(test_users, 'other user')}`;
}

function interval({ value, low, high }: Estimate): string {
  return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

type OtherEventType = NonNullable<Model['training']['other_event_types']>[number];
type Contribution = OtherEventType['visitors'];

/** What each event type other than the target is worth, and for whom; and the evidence against unused ones. */
function eventTypesTable(types: readonly OtherEventType[]): string[] {
  if (types.length === 0) return [];
  const rows = types.flatMap(({ event_type, visitors, active_users }) => [
    [event_type, 'visitors', ...cells(visitors)],
    ['', 'active users', ...cells(active_users)],
  ]);
  return [
    '',
    table(['event type', 'for', 'weight', 'own item', 'NDCG@20', 'without it', 'users'], rows),
    'Visitors are users without target events.',
    ...types.flatMap(unusedNote),
  ];
}

const cells = ({ weight, own_item_weight, ndcg_at_20, ndcg_at_20_without, users }: Contribution) => [
  String(weight),
  String(own_item_weight),
  ndcg_at_20.value.toFixed(3),
  ndcg_at_20_without.value.toFixed(3),
  users.toLocaleString('en'),
];

function unusedNote({ event_type, visitors, active_users, tried_weights }: OtherEventType): string[] {
  const notes: string[] = [];
  const isUnused = ({ weight, own_item_weight }: Contribution) => weight === 0 && own_item_weight === 0;
  const tried = tried_weights.map(
    ({ weight, ndcg_at_20 }) => `${ndcg_at_20.toFixed(3)} with weight ${weight}`,
  );
  const evidence = tried.length > 0 ? `: NDCG@20 of the validation users is ${tried.join(', ')}` : '';
  if (isUnused(active_users)) notes.push(`Not used for active users: ${event_type}${evidence}`);
  if (isUnused(visitors)) notes.push(`Not used for visitors: ${event_type}`);
  return notes;
}
