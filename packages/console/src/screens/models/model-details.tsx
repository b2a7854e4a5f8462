import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { formatCount, formatNumberOf, formatSeconds } from '../../format.ts';
import { IntervalChart } from '../../models/interval-chart.tsx';
import type { Model } from '../../models/use-models.ts';
import { EventTypeWorth } from './event-type-worth.tsx';

/** One model: what it predicts, what each event type is worth to it, and what it was made of. */
export function ModelDetails({ model }: { model: Model }) {
  const { training, name } = model;
  const { metrics, data, left_out, seconds, chosen_parameters } = training;
  const beside = (pick: 'ndcg_at_20' | 'recall_at_20' | 'coverage') => [
    { label: 'This model', estimate: metrics.model[pick], isMain: true },
    { label: 'Popularity', estimate: metrics.popularity[pick], isMain: false },
  ];
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card
        title={`How well “${name}” predicts`}
        hint={`${formatNumberOf(metrics.model.users, 'test user')}, 95 % intervals`}
      >
        <div className="space-y-4 px-4 py-3">
          <IntervalChart title="NDCG@20" hint="the right items, near the top" lines={beside('ndcg_at_20')} />
          <IntervalChart title="Recall@20" hint="the right items among 20" lines={beside('recall_at_20')} />
          <IntervalChart title="Coverage" hint="items that anyone gets to see" lines={beside('coverage')} />
          {metrics.cold_users && (
            <IntervalChart
              title="New users"
              hint="NDCG@20 without any history"
              lines={[
                { label: 'This model', estimate: metrics.cold_users.model.ndcg_at_20, isMain: true },
                { label: 'Popularity', estimate: metrics.cold_users.popularity.ndcg_at_20, isMain: false },
              ]}
            />
          )}
        </div>
      </Card>
      <div className="grid min-w-0 gap-4">
        <EventTypeWorth model={model} />
        <Card title="What it was made of">
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 px-4 py-3">
            <Entry name="Events">
              {formatCount(data.events)}, {formatCount(data.target_events)} of them targets
            </Entry>
            <Entry name="Users">{formatCount(data.users)}</Entry>
            <Entry name="Items">{formatCount(data.items)}</Entry>
            <Entry name="Took">
              {formatSeconds(seconds.read + seconds.search + seconds.fit + seconds.write)}, of which{' '}
              {formatSeconds(seconds.search)} to choose parameters
            </Entry>
            {Object.entries(chosen_parameters).map(([parameter, value]) => (
              <Entry key={parameter} name={parameter}>
                <span className="font-mono text-sm break-words">
                  {typeof value === 'object' ? JSON.stringify(value) : String(value)}
                </span>
              </Entry>
            ))}
          </dl>
          {left_out.length > 0 && (
            <div className="border-t border-line px-4 py-3">
              <p className="mb-1 font-medium">Left out</p>
              <ul className="list-disc space-y-1 pl-5 text-muted">
                {left_out.map(({ what, count, why }) => (
                  <li key={what}>
                    <span className="text-ink">{what}</span> ({formatCount(count)}): {why}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </Card>
      </div>
    </div>
  );
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
