import type { Model } from './find.ts';
import { counted, table } from './terminal/table.ts';

type Metrics = Model['training']['metrics'];
type Estimate = Metrics['model']['recall_at_20'];

/** How good the model is on events it had not seen, beside popularity; with intervals that hold the true figure in 95 of 100 cases. */
export function metricsTable({ training }: Model): string {
  const { model, popularity, cold_users, cold_items } = training.metrics;
  const rows = [
    ['recall@20', interval(model.recall_at_20), interval(popularity.recall_at_20)],
    ['NDCG@20', interval(model.ndcg_at_20), interval(popularity.ndcg_at_20)],
    ['coverage', interval(model.coverage), interval(popularity.coverage)],
  ];
  if (cold_users)
    rows.push([
      ...['recall@20 of new users', interval(cold_users.model.recall_at_20)],
      interval(cold_users.popularity.recall_at_20),
    ]);
  if (cold_items.items > 0) rows.push(['recall@20 of new items', interval(cold_items.recall_at_20), '-']);
  const { data, held_out, left_out } = training;
  const notes = left_out.map(
    ({ what, count, why }) => `Left out: ${count.toLocaleString('en')} ${what}: ${why}`,
  );
  return [
    table(['', 'this model', 'popularity'], rows),
    `Measured on the ${held_out} target events of ${counted(model.users, 'user')}; trained on ${counted(data.target_events, 'target event')} of ${counted(data.users, 'user')} with ${counted(data.items, 'item')}.`,
    ...notes,
  ].join('\n');
}

function interval({ value, low, high }: Estimate): string {
  return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
