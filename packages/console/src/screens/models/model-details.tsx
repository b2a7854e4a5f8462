import { Card } from '../../components/card.tsx';
import { Entry } from '../../components/entry.tsx';
import { formatCount, formatNumberOf, formatSeconds } from '../../format.ts';
import { useDatasets } from '../../use/datasets.ts';
import type { Estimate, Metric, Model } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { EventTypeWorth } from './event-type-worth.tsx';
import { IntervalChart } from './interval-chart.tsx';
import { verdictOf } from './verdict.ts';

interface Pair {
  readonly model: Estimate;
  readonly popularity: Estimate;
}

type Metrics = Pick<Model['training']['metrics'], 'model' | 'popularity'>;

const pairOf = ({ model, popularity }: Metrics, metric: Metric): Pair => ({
  model: model[metric],
  popularity: popularity[metric],
});

/** With fewer, the interval is so wide that it says nothing. */
const fewestUsers = 20;

/** One model: what it predicts, what each event type is worth to it, and what it was made of. */
export function ModelDetails({ model }: { model: Model }) {
  const { training, name } = model;
  const { metrics, data, held_out, left_out, seconds, chosen_parameters } = training;
  const { target_event_type: target } = useProject();
  const now = useDatasets().data?.find(({ kind }) => kind === 'events')?.count;
  const charts: readonly { title: string; hint: string; pair: Pair }[] = [
    { title: 'NDCG@20', hint: 'the right items, near the top', pair: pairOf(metrics, 'ndcg_at_20') },
    { title: 'Recall@20', hint: 'the right items among 20', pair: pairOf(metrics, 'recall_at_20') },
    { title: 'Coverage', hint: 'share of all items that someone gets', pair: pairOf(metrics, 'coverage') },
  ];
  const newUsers = metrics.cold_users &&
    metrics.cold_users.model.users >= fewestUsers && {
      title: 'NDCG@20 of new users',
      hint: `no events at all, ${formatNumberOf(metrics.cold_users.model.users, 'test user')}`,
      pair: pairOf(metrics.cold_users, 'ndcg_at_20'),
    };
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card
        title={`How well “${name}” predicts`}
        hint={`${formatNumberOf(metrics.model.users, 'test user')}, 95 % intervals`}
      >
        <div className="space-y-4 px-4 py-3">
          {[...charts, ...(newUsers ? [newUsers] : [])].map(({ title, hint, pair }) => (
            <IntervalChart
              key={title}
              title={title}
              hint={hint}
              verdict={verdictOf(pair.model, pair.popularity).text}
              lines={[
                { label: 'This model', estimate: pair.model, isMain: true },
                { label: 'Popularity', estimate: pair.popularity, isMain: false },
              ]}
            />
          ))}
          <p className="text-sm text-muted">
            Popularity: the same list of the most popular items for everyone.{' '}
            {held_out === 'latest' ? 'The newest' : 'Some'} {target} events of each test user were hidden from
            the training, then predicted.
          </p>
        </div>
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <EventTypeWorth model={model} />
        <Card title="What it learned from" className="grow">
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 px-4 py-3">
            <Entry name="Events">
              {formatCount(data.events)}, including {formatNumberOf(data.target_events, `${target} event`)}
              {now !== undefined && now !== data.events && `. The dataset now has ${formatCount(now)}.`}
            </Entry>
            <Entry name="Users">{formatCount(data.users)}</Entry>
            <Entry name="Items">{formatCount(data.items)}</Entry>
            <Entry name="Took">
              {formatSeconds(seconds.read + seconds.search + seconds.fit + seconds.write)}, of which{' '}
              {formatSeconds(seconds.search)} to choose parameters
            </Entry>
          </dl>
          <details className="border-t border-line px-4 py-3">
            <summary className="cursor-pointer font-medium">Parameters (advanced)</summary>
            <p className="my-2 text-sm text-muted">
              Training chose them on users that are not test users. event_weights are those of active users.
            </p>
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
              {Object.entries(chosen_parameters).map(([parameter, value]) => (
                <Entry key={parameter} name={parameter}>
                  <span className="font-mono text-sm">
                    {typeof value === 'object' ? JSON.stringify(value) : String(value)}
                  </span>
                </Entry>
              ))}
            </dl>
          </details>
          {left_out.length > 0 && (
            <div className="border-t border-line px-4 py-3">
              <p className="mb-1 font-medium">Left out of the training</p>
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
